import { Button, Group, Radio, Stack, Text, Textarea, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { ChangePreview } from '../parts/change-preview.tsx';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import styles from '../organizations.module.css';
import { useOrganization } from '../use-organization.ts';
import { PolicyItems } from './policy-items.tsx';
import { FAMILIES, fieldsOf, isUnfinished, LISTS, MODES, policyOf } from './policies.ts';
import type { Family, Policy } from './policies.ts';
import { mayInTeam, teamPath } from './teams.ts';
import type { Team } from './teams.ts';
import { Loading } from '../../parts/loading.tsx';

/** What of the organization's catalog the team admits, by four policies. */
export function TeamPolicies({ team }: { team: Team }) {
  const { t } = useTranslation();
  const { held } = useOrganization();
  const may = mayInTeam(held, team);
  const shown = FAMILIES.filter((family) => may(neededTo('view', family)));
  const missing = [
    ...FAMILIES.filter((family) => !shown.includes(family)).map((one) => neededTo('view', one)),
    ...shown.map((family) => neededTo('update', family)).filter((permission) => !may(permission)),
  ];
  const seesAll = shown.length === FAMILIES.length;
  const needed = seesAll && missing.length === FAMILIES.length ? UPDATES_ALL : missing;
  return (
    <Stack gap="xl">
      <Text c="dimmed">
        {t('org_policy.intro')} {missing.length < FAMILIES.length && t('form.until_saved')}
      </Text>
      {missing.length > 0 && <NeedsPermission permission={needed} team={team.title} />}
      {shown.map((family) => (
        <FamilyPolicy key={family} team={team} family={family} />
      ))}
    </Stack>
  );
}

/** Permits what the permissions of the single policies do. */
const UPDATES_ALL = 'can_update_team_policies';
const neededTo = (verb: 'view' | 'update', family: Family) => `can_${verb}_team_${family}_policies`;

function FamilyPolicy({ team, family }: { team: Team; family: Family }) {
  const { t } = useTranslation();
  const title = t(`org_policy.${family}`);
  return (
    <section aria-labelledby={`policy-${family}`}>
      <Title order={2} id={`policy-${family}`} mb="sm">
        {title}
      </Title>
      <Saved team={team} family={family} />
    </section>
  );
}

function Saved({ team, family }: { team: Team; family: Family }) {
  const { id } = useOrganization();
  const path = teamPath(id, team.id, `/policies/${family}`);
  const policy = useQuery({
    queryKey: ['team-policy', id, team.id, family],
    queryFn: ({ signal }) => request<Policy>(path, { signal }),
  });
  if (policy.data !== undefined)
    return (
      <PolicyForm
        key={JSON.stringify(policy.data)}
        {...{ team, family, path }}
        saved={policy.data}
      />
    );
  if (policy.isError) return <Problem error={policy.error} onRetry={() => void policy.refetch()} />;
  return <Loading height={120} />;
}

function PolicyForm({
  team,
  family,
  path,
  saved,
}: {
  team: Team;
  family: Family;
  path: string;
  saved: Policy;
}) {
  const { t } = useTranslation();
  const { held } = useOrganization();
  const queries = useQueryClient();
  const mayWrite = mayInTeam(held, team)(neededTo('update', family));
  /** What is typed in the fields of items, and not chosen. */
  const typed = useRef<Record<string, string>>({});
  const { form, submit, isPending, error } = useServerForm({
    initialValues: fieldsOf(saved),
    validate: () =>
      Object.fromEntries(
        Object.entries(typed.current).map(([list, name]) => [
          list,
          t(`org_policy.no_${family === 'resource' ? 'tool' : family}`, { name }),
        ]),
      ),
    send: (fields) => request<Policy>(path, { method: 'PUT', body: policyOf(family, fields) }),
    async onSuccess() {
      notifications.show({ message: t('org_policy.saved') });
      await queries.invalidateQueries();
    },
  });
  const body = policyOf(family, form.values);
  const isChanged = JSON.stringify(body) !== JSON.stringify(policyOf(family, fieldsOf(saved)));
  return (
    <form onSubmit={submit} className={`card ${styles.policy}`}>
      <Stack>
        {error !== null && <Problem error={error} />}
        <Radio.Group label={t('org_policy.mode')} {...form.getInputProps('mode')}>
          <Group mt="xs" gap="lg" className={styles.radios}>
            {MODES.map((mode) => (
              <Radio
                key={mode}
                value={mode}
                label={t(`org_policy.mode_${mode}`)}
                disabled={!mayWrite}
              />
            ))}
          </Group>
        </Radio.Group>
        {form.values.mode !== 'all' &&
          LISTS[family].map((list) =>
            list === 'patterns' ? (
              <Textarea
                key={list}
                label={t('org_policy.patterns')}
                description={t('org_policy.patterns_hint')}
                autosize
                minRows={3}
                dir="ltr"
                readOnly={!mayWrite}
                {...form.getInputProps('patterns')}
                value={form.values.patterns.join('\n')}
                onChange={({ currentTarget }) =>
                  form.setFieldValue('patterns', currentTarget.value.split('\n'))
                }
              />
            ) : (
              <PolicyItems
                key={list}
                list={list}
                isReadOnly={!mayWrite}
                onLeft={(name) => {
                  if (name === '') delete typed.current[list];
                  else typed.current[list] = name;
                  if (name === '') form.clearFieldError(list);
                  else form.validateField(list);
                }}
                {...form.getInputProps(list)}
              />
            ),
          )}
        {mayWrite && isChanged && !isUnfinished(body) && (
          <ChangePreview path={path} body={body} isOfCredentials />
        )}
        {mayWrite && isChanged && (
          <Group>
            <Button type="submit" loading={isPending}>
              {t('org_policy.save')}
            </Button>
            <Button variant="default" onClick={form.reset}>
              {t('form.cancel')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

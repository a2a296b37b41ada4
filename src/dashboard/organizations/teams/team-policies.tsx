import { Button, Group, MultiSelect, Radio, Stack, Textarea, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Reference } from '../../../platform/http/reference.ts';
import { request } from '../../api/request.ts';
import { MAX_OPTIONS } from '../../parts/max-options.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf, wholeQuery } from '../organizations.ts';
import { ChangePreview } from '../parts/change-preview.tsx';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import styles from '../organizations.module.css';
import { useOrganization } from '../use-organization.ts';
import { InTeam } from './in-team.tsx';
import { FAMILIES, fieldsOf, LISTS, MODES, policyOf } from './policies.ts';
import type { Family, ListName, Policy } from './policies.ts';
import { mayInTeam, teamPath } from './teams.ts';
import type { Team } from './teams.ts';
import { Loading } from '../../parts/loading.tsx';

/** What of the organization's catalog the team admits, by four policies. */
export const TeamPolicies = ({ team }: { team: Team }) => (
  <Stack gap="xl">
    {FAMILIES.map((family) => (
      <FamilyPolicy key={family} team={team} family={family} />
    ))}
  </Stack>
);

function FamilyPolicy({ team, family }: { team: Team; family: Family }) {
  const { t } = useTranslation();
  const title = t(`org_policy.${family}`);
  return (
    <section aria-labelledby={`policy-${family}`}>
      <Title order={2} id={`policy-${family}`} mb="sm">
        {title}
      </Title>
      <InTeam team={team} needs={`can_view_team_${family}_policies`}>
        <Saved team={team} family={family} />
      </InTeam>
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
  const mayWrite = mayInTeam(held, team)(`can_update_team_${family}_policies`);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: fieldsOf(saved),
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
          <Group mt="xs" gap="lg">
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
              <ItemsField
                key={list}
                list={list}
                isReadOnly={!mayWrite}
                {...form.getInputProps(list)}
              />
            ),
          )}
        {mayWrite && isChanged && <ChangePreview path={path} body={body} />}
        {!mayWrite && <NeedsPermission permission={`can_update_team_${family}_policies`} />}
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

const SOURCES: Record<Exclude<ListName, 'patterns'>, { path: string; needs: string | null }> = {
  tools: { path: '/catalog/tools', needs: null },
  custom_tools: { path: '/custom-tools/scopable', needs: 'can_view_organization_tools' },
  prompts: { path: '/prompts/scopable', needs: 'can_view_organization_prompts' },
  platform_prompts: { path: '/catalog/prompts', needs: null },
  agents: { path: '/agents', needs: 'can_view_organization_agents' },
};

function ItemsField({
  list,
  isReadOnly,
  value = [],
  ...input
}: {
  list: Exclude<ListName, 'patterns'>;
  isReadOnly: boolean;
  value?: string[];
}) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const { path, needs } = SOURCES[list];
  const isVisible = needs === null || may(needs);
  const items = useQuery({ ...wholeQuery<Reference>(pathOf(id, path)), enabled: isVisible });
  const known = (items.data ?? []).map((item) => ({ value: item.id, label: item.name }));
  const ids = new Set(known.map((item) => item.value));
  const unknown = value
    .filter((one) => !ids.has(one))
    .map((one) => ({ value: one, label: t('org_policy.unknown', { id: one.slice(0, 8) }) }));
  return (
    <>
      {needs !== null && !isVisible && <NeedsPermission permission={needs} />}
      {items.isError && <Problem error={items.error} onRetry={() => void items.refetch()} />}
      <MultiSelect
        label={t(`org_policy.list_${list}`)}
        searchable
        limit={MAX_OPTIONS}
        readOnly={isReadOnly || !isVisible}
        data={[...known, ...unknown]}
        value={value}
        {...input}
      />
    </>
  );
}

import {
  Accordion,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Radio,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { capabilities, everyTeamGrant } from '../../../authz/permissions.ts';
import { pathOf, wholeQuery } from '../organizations.ts';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { PermissionMatrix } from '../roles/permission-matrix.tsx';
import type { Team } from '../teams/teams.ts';
import { useOrganization } from '../use-organization.ts';
import type { KeyFields } from './organization-keys.ts';

const DAYS = ['30', '90', '365'] as const;

type Form = UseFormReturnType<KeyFields>;

/** The fields of a new key of the organization. */
export function KeyForm({
  form,
  submit,
  isPending,
  error,
}: {
  form: Form;
  submit(event?: React.FormEvent<HTMLFormElement>): void;
  isPending: boolean;
  error: unknown;
}) {
  const { t } = useTranslation();
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        {error !== null && <Problem error={error} />}
        <TextInput
          maw={480}
          label={t('form.name')}
          description={t('org_keys.name_hint')}
          required
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox.Group
          label={t('new_key.capabilities')}
          {...form.getInputProps('mcp_capabilities')}
        >
          <Group mt="xs" gap="lg">
            {capabilities.map((one) => (
              <Checkbox key={one} value={one} label={t(`capability.${one}`)} />
            ))}
          </Group>
        </Checkbox.Group>
        <TeamsField form={form} />
        <Select
          maw={240}
          label={t('key.expires')}
          clearable
          placeholder={t('key.never')}
          data={DAYS.map((days) => ({
            value: days,
            label: t('org_keys.in_days', { count: Number(days) }),
          }))}
          {...form.getInputProps('days')}
        />
        <Grants form={form} />
        <Group>
          <Button type="submit" loading={isPending}>
            {t('new_key.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function TeamsField({ form }: { form: Form }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const teams = useQuery(wholeQuery<Team>(pathOf(id, '/teams')));
  const mayFollow = may(everyTeamGrant);
  return (
    <Stack gap="xs">
      <Radio.Group label={t('org_keys.teams')} {...form.getInputProps('follows')}>
        <Group mt="xs" gap="lg">
          <Radio value="all" label={t('org_keys.follow_all')} disabled={!mayFollow} />
          <Radio value="some" label={t('org_keys.only_these')} />
        </Group>
      </Radio.Group>
      {!mayFollow && <NeedsPermission permission={everyTeamGrant} />}
      {teams.isError && <Problem error={teams.error} />}
      {form.values.follows === 'some' && (
        <MultiSelect
          label={t('members.teams')}
          searchable
          data={(teams.data ?? []).map((team) => ({ value: team.id, label: team.title }))}
          {...form.getInputProps('team_ids')}
        />
      )}
    </Stack>
  );
}

/** Permissions over REST and for the tools that write; reading over MCP needs none. */
function Grants({ form }: { form: Form }) {
  const { t } = useTranslation();
  const { held } = useOrganization();
  const matrix = {
    value: form.values.grants,
    isReadOnly: false,
    onChange: (grants: string[]) => form.setFieldValue('grants', grants),
  };
  return (
    <Accordion variant="separated" multiple order={2}>
      <Accordion.Item value="organization">
        <Accordion.Control>{t('org_keys.grants_organization')}</Accordion.Control>
        <Accordion.Panel>
          <PermissionMatrix
            kind="organization"
            label={t('roles.permissions')}
            held={held}
            error={form.errors['grants']}
            {...matrix}
          />
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="team">
        <Accordion.Control>{t('org_keys.grants_team')}</Accordion.Control>
        <Accordion.Panel>
          <PermissionMatrix
            kind="team"
            label={t('roles.permissions')}
            held={null}
            error={form.errors['grants']}
            {...matrix}
          />
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { followsTeams } from './key-values.ts';
import type { Key } from './key-values.ts';
import { organizationsQuery } from '../organizations/organizations.ts';
import { Moment } from '../parts/moment.tsx';
import { listOf } from '../texts/texts.ts';

/** Facts about a key that its form cannot change. */
export function KeyFacts({ record }: { record: Key }) {
  const { t } = useTranslation();
  const uses = [
    [t('key.last_used'), record.last_used_at],
    [t('key.expires'), record.expires_at],
  ] as const;
  return (
    <dl className="card facts">
      <div>
        <dt>{t('key.prefix')}</dt>
        <dd>
          <Text span ff="monospace">
            {record.secret_prefix}…
          </Text>
        </dd>
      </div>
      <div>
        <dt>{t('new_key.capabilities')}</dt>
        <dd>
          {listOf(record.mcp_capabilities.map((one) => t(`capability.${one}`))) || t('key.nothing')}
        </dd>
      </div>
      {/* What may be long is wide, so that the last row is not short. */}
      <div className={'created_by' in record ? undefined : 'wide'}>
        <dt>{t('key_form.runs_in')}</dt>
        <dd>
          <KeyPlace record={record} />
        </dd>
      </div>
      <div>
        <dt>{t('key.created')}</dt>
        <dd>
          <Moment at={record.created_at} />
        </dd>
      </div>
      {'created_by' in record && (
        <div className="wide">
          <dt>{t('org_keys.created_by')}</dt>
          <dd>
            <bdi>{record.created_by?.email ?? t('org_keys.former_member')}</bdi>
          </dd>
        </div>
      )}
      {uses.map(([label, at]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{at === null ? t('key.never') : <Moment at={at} />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Where a key is active: in its person's account, or in teams of an organization. */
export function KeyPlace({ record }: { record: Key }) {
  const { t } = useTranslation();
  const { data: organizations = [] } = useQuery(organizationsQuery);
  if (!('teams' in record)) return t('connection.own_account');
  const teams = followsTeams(record)
    ? t('key_form.teams_all')
    : listOf(record.teams.flatMap(({ name }) => name ?? [])) || t('key.no_team');
  if ('organization_id' in record) return teams;
  const organization = organizations.find(({ id }) => id === record.org_scope);
  return (
    <>
      <bdi>{organization?.name ?? t('key_form.organization_left')}</bdi>: {teams}
    </>
  );
}

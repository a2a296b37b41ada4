import { Select } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { OrganizationListing } from '../../organizations/schema.ts';
import { readAll } from '../api/lists.ts';
import type { KeyContext } from './key-values.ts';

const organizationsQuery = queryOptions({
  queryKey: ['organizations', 'all'],
  queryFn: ({ signal }) => readAll<OrganizationListing>('/api/organizations', signal),
});

/** Where a new key runs; a person who is in no organization has no choice. */
export function RunsInField({
  context,
  onChange,
}: {
  context: KeyContext;
  onChange(context: KeyContext): void;
}) {
  const { t } = useTranslation();
  const { data: organizations = [] } = useQuery(organizationsQuery);
  if (organizations.length === 0) return null;
  return (
    <Select
      label={t('key_form.runs_in')}
      description={t('key_form.runs_in_hint')}
      placeholder={t('connection.own_account')}
      data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
      value={context.organization?.org_scope ?? null}
      clearable
      clearButtonProps={{ 'aria-label': t('key_form.runs_in_own') }}
      onChange={(org_scope) =>
        onChange({
          ...context,
          organization: org_scope === null ? null : { org_scope, team_ids: null },
        })
      }
    />
  );
}

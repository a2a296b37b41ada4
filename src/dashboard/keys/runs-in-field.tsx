import { Select } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { KeyValues } from './key-values.ts';
import { organizationsQuery } from '../organizations/organizations.ts';

/** Where a new key of a person runs; who is in no organization has no choice. */
export function RunsInField({ form }: { form: UseFormReturnType<KeyValues> }) {
  const { t } = useTranslation();
  const { data: organizations = [] } = useQuery(organizationsQuery);
  if (organizations.length === 0) return null;
  return (
    <Select
      label={t('key_form.runs_in')}
      description={t('key_form.runs_in_hint')}
      placeholder={t('connection.own_account')}
      data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
      value={form.values.org_scope}
      error={form.errors['org_scope']}
      data-path="org_scope"
      clearable
      clearButtonProps={{ 'aria-label': t('key_form.runs_in_own') }}
      onChange={(org_scope) => form.setValues({ org_scope, team_ids: null })}
    />
  );
}

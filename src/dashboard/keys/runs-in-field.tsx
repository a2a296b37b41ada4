import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { KeyContext } from './key-values.ts';
import { organizationsQuery } from '../organizations/organizations.ts';

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

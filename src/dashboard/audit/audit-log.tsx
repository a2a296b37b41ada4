import { Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../parts/error-alert.tsx';
import classes from '../parts/filters.module.css';
import { Loading } from '../parts/loading.tsx';
import { ACTION_GROUPS, auditQuery, readAuditFilters } from './audit.ts';
import type { AuditFilters } from './audit.ts';
import { AuditEntry } from './audit-entry.tsx';
import { MoreButton } from '../parts/more-button.tsx';

/** What was done, newest first; the filters are in the address. */
export function AuditLog({
  path,
  memberPage,
}: {
  /** The log's REST path: that of a person or of an organization. */
  path: string;
  /** Returns the page of a member; absent in the log of a person. */
  memberPage?: (accountId: string) => string;
}) {
  const { t } = useTranslation();
  const filters = readAuditFilters(useSearch({ strict: false }));
  const entries = useInfiniteQuery(auditQuery(path, filters));
  const all = entries.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Stack>
      <Filters filters={filters} isPersonal={memberPage === undefined} />
      {entries.isError && (
        <ErrorAlert error={entries.error} onRetry={() => void entries.refetch()} />
      )}
      {entries.isPending && <Loading height={240} />}
      {entries.isSuccess && all.length === 0 && (
        <Text className="card empty">{t(isFiltered ? 'audit.none_match' : 'audit.none')}</Text>
      )}
      {all.length > 0 && (
        <ul className="card list rows" aria-label={t('audit.entries')}>
          {all.map((entry) => (
            <AuditEntry key={entry.id} entry={entry} memberPage={memberPage} />
          ))}
        </ul>
      )}
      <MoreButton list={entries} />
    </Stack>
  );
}

function Filters({ filters, isPersonal }: { filters: AuditFilters; isPersonal: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { action = '', outcome = '', from = '', to = '' } = filters;
  const show = (search: Record<string, string>) =>
    void navigate({ to: '.', search: () => search, replace: true });
  /** Leaves the others as they are; the empty text removes one. */
  const set = (change: Partial<Record<keyof AuditFilters, string>>) =>
    show(
      Object.fromEntries(
        Object.entries({ ...filters, ...change }).filter(([, value]) => value !== ''),
      ),
    );
  return (
    <div className={classes.filters} role="search">
      {isPersonal ? (
        <ActionGroup action={action} onChange={(chosen) => set({ action: chosen })} />
      ) : (
        <TextInput
          data-filter
          label={t('audit.action')}
          placeholder="key.*"
          value={action}
          maxLength={64}
          onChange={({ currentTarget }) =>
            set({ action: currentTarget.value.toLowerCase().replaceAll(/[^a-z_.]/g, '') })
          }
        />
      )}
      <NativeSelect
        label={t('audit.outcome')}
        value={outcome}
        onChange={({ currentTarget }) => set({ outcome: currentTarget.value })}
        data={[
          { value: '', label: t('audit.any') },
          { value: 'done', label: t('audit.done') },
          { value: 'refused', label: t('audit.refused') },
        ]}
      />
      <TextInput
        type="date"
        label={t('audit.from')}
        value={from}
        max={to}
        onChange={({ currentTarget }) => set({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t('audit.to')}
        value={to}
        min={from}
        onChange={({ currentTarget }) => set({ to: currentTarget.value })}
      />
      {Object.keys(filters).length > 0 && (
        <Button variant="default" onClick={() => show({})}>
          {t('audit.clear')}
        </Button>
      )}
    </div>
  );
}

/** Groups of what a person does; an organization has too many to choose from. */
function ActionGroup({ action, onChange }: { action: string; onChange(action: string): void }) {
  const { t } = useTranslation();
  const groups = ACTION_GROUPS.map((group) => ({
    value: `${group}.`,
    label: t(`audit.group.${group}`),
  }));
  const isKnown = action === '' || groups.some(({ value }) => value === action);
  return (
    <NativeSelect
      label={t('audit.action')}
      value={action}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: t('audit.any') },
        ...groups,
        ...(isKnown ? [] : [{ value: action, label: action }]),
      ]}
    />
  );
}

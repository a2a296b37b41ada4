import { Badge, Button, Code, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AuditRecord } from '../../audit/schema.ts';
import { DownloadButton } from '../parts/download-button.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { ACTION_GROUPS, auditFile, auditQuery } from './audit.ts';
import type { AuditFilters } from './audit.ts';
import { Loading } from '../parts/loading.tsx';
import { listOf } from '../texts/texts.ts';

const route = getRouteApi('/app/settings/audit');

/** What was done to the account and with its credentials. */
export function AuditPage() {
  const { t } = useTranslation();
  const filters = route.useSearch();
  const entries = useInfiniteQuery(auditQuery(filters));
  const all = entries.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title={t('settings.audit')}
      actions={
        <DownloadButton
          href={auditFile(filters)}
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t('audit.download')}
        </DownloadButton>
      }
    >
      <Stack>
        <Filters filters={filters} />
        {entries.isError && (
          <ErrorAlert error={entries.error} onRetry={() => void entries.refetch()} />
        )}
        {entries.isPending && <Loading height={240} />}
        {entries.isSuccess && all.length === 0 && (
          <Text className="card empty">{t(isFiltered ? 'audit.none_match' : 'audit.none')}</Text>
        )}
        {all.length > 0 && (
          <ul className="card list rows" aria-label={t('settings.audit')}>
            {all.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ul>
        )}
        {entries.hasNextPage && (
          <Button
            variant="default"
            loading={entries.isFetchingNextPage}
            onClick={() => void entries.fetchNextPage()}
          >
            {t('keys.more')}
          </Button>
        )}
      </Stack>
    </Page>
  );
}

function Filters({ filters }: { filters: AuditFilters }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { action = '', outcome = '', from = '', to = '' } = filters;
  /** Leaves the others as they are; the empty text removes one. */
  function set(change: Partial<Record<keyof AuditFilters, string>>) {
    const chosen = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== '');
    void navigate({
      to: '/app/settings/audit',
      search: Object.fromEntries(chosen),
      replace: true,
    });
  }
  const groups = ACTION_GROUPS.map((group) => ({
    value: `${group}.`,
    label: t(`audit.group.${group}`),
  }));
  const isKnown = action === '' || groups.some(({ value }) => value === action);
  return (
    <Group gap="sm" align="end" role="search">
      <NativeSelect
        label={t('audit.action')}
        value={action}
        onChange={({ currentTarget }) => set({ action: currentTarget.value })}
        data={[
          { value: '', label: t('audit.all') },
          ...groups,
          ...(isKnown ? [] : [{ value: action, label: action }]),
        ]}
      />
      <NativeSelect
        label={t('audit.outcome')}
        value={outcome}
        onChange={({ currentTarget }) => set({ outcome: currentTarget.value })}
        data={[
          { value: '', label: t('audit.all') },
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
        <Button variant="subtle" onClick={() => set({ action: '', outcome: '', from: '', to: '' })}>
          {t('audit.clear')}
        </Button>
      )}
    </Group>
  );
}

function Entry({ entry }: { entry: AuditRecord }) {
  const { t } = useTranslation();
  const { action, at, outcome, actor, credential, address, target, detail } = entry;
  const by = credential?.name ?? t(`audit.actor.${credential?.kind ?? actor.kind}`);
  const names = target.flatMap(({ name }) => (name === undefined ? [] : [name]));
  return (
    <li className="list-row">
      <Group justify="space-between" gap="xs" align="baseline">
        <Group gap="xs">
          <Text size="sm" fw={600} ff="monospace">
            {action}
          </Text>
          {outcome === 'refused' && (
            <Badge size="sm" variant="light" color="red">
              {t('audit.refused')}
            </Badge>
          )}
          {names.length > 0 && (
            <Text size="sm">
              <bdi>{listOf(names)}</bdi>
            </Text>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          <bdi>{by}</bdi>
          {' · '}
          {address !== null && (
            <>
              <bdi>{address}</bdi>
              {' · '}
            </>
          )}
          <Moment at={at} />
        </Text>
      </Group>
      {(detail !== null || target.length > 0) && (
        <details className="details">
          <summary>{t('audit.details')}</summary>
          <Code block tabIndex={0}>
            {JSON.stringify({ at, target, ...(detail === null ? {} : { detail }) }, null, 2)}
          </Code>
        </details>
      )}
    </li>
  );
}

import { Anchor, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { outcomes } from './call-filter.ts';
import type { CallFilter } from './call-filter.ts';
import { addressOf, callsQuery } from './calls-query.ts';
import type { Call, CallSource } from './calls-query.ts';
import { OutcomeBadge } from './outcome-badge.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import classes from '../parts/filters.module.css';
import { Moment } from '../parts/moment.tsx';
import { Fact, Row } from '../parts/row.tsx';
import type { Translate } from '../texts/texts.ts';
import { Loading } from '../parts/loading.tsx';
import { MoreButton } from '../parts/more-button.tsx';

/** The calls of a person or a key, newest first, with filters and as files. */
export function Calls({
  source,
  filter,
  onFilter,
  keys,
}: {
  source: CallSource;
  filter: CallFilter;
  onFilter(filter: CallFilter): void;
  /** Keys to choose from; absent for the calls of one key. */
  keys?: readonly { id: string; name: string }[];
}) {
  const { t } = useTranslation();
  const calls = useInfiniteQuery(callsQuery(source, filter));
  const all = calls.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Stack gap="sm">
      <Filters key={JSON.stringify(filter)} filter={filter} onFilter={onFilter} keys={keys} />
      <Group gap="md">
        {(['csv', 'jsonl'] as const).map((format) => (
          <Anchor key={format} size="sm" href={addressOf(source, filter, { format })} download>
            {t(`usage.download_${format}`)}
          </Anchor>
        ))}
      </Group>
      {calls.isError && <ErrorAlert error={calls.error} onRetry={() => void calls.refetch()} />}
      {calls.isPending && <Loading height={200} />}
      {calls.isSuccess && all.length === 0 && (
        <Stack className="card empty" align="start">
          <Text>{t(isFiltered ? 'usage.no_match' : 'usage.no_calls')}</Text>
          {isFiltered && (
            <Button variant="default" onClick={() => onFilter({})}>
              {t('keys.clear_filter')}
            </Button>
          )}
        </Stack>
      )}
      {all.length > 0 && (
        <ul className="card list steps" aria-label={t('usage.calls')}>
          {all.map((call) => (
            <CallRow key={call.id} call={call} keys={keys ?? []} />
          ))}
        </ul>
      )}
      <MoreButton list={calls} />
    </Stack>
  );
}

function Filters({
  filter,
  onFilter,
  keys,
}: {
  filter: CallFilter;
  onFilter(filter: CallFilter): void;
  keys: readonly { id: string; name: string }[] | undefined;
}) {
  const { t } = useTranslation();
  const [called, setCalled] = useState(filter.called ?? '');
  const { called: _, ...others } = filter;
  const withItem = () => onFilter({ ...others, ...(called === '' ? {} : { called }) });
  const change = (field: 'outcome' | 'key' | 'from' | 'to', value: string | null) => {
    const { [field]: __, ...rest } = filter;
    onFilter(value === null || value === '' ? rest : { ...rest, [field]: value });
  };
  return (
    <form
      role="search"
      aria-label={t('usage.filters')}
      onSubmit={(event) => {
        event.preventDefault();
        withItem();
      }}
    >
      <div className={classes.filters}>
        <TextInput
          data-filter
          label={t('usage.item')}
          placeholder={t('usage.item_hint')}
          value={called}
          onChange={({ currentTarget }) => setCalled(currentTarget.value)}
        />
        <Select
          label={t('usage.outcome')}
          placeholder={t('usage.any')}
          data={outcomes.map((value) => ({ value, label: t(`outcome.${value}`) }))}
          value={filter.outcome ?? null}
          onChange={(value) => change('outcome', value)}
        />
        {keys !== undefined && (
          <Select
            label={t('connect.key')}
            placeholder={t('usage.any')}
            data={keys.map(({ id, name }) => ({ value: id, label: name }))}
            value={filter.key ?? null}
            searchable
            onChange={(value) => change('key', value)}
          />
        )}
        {(['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            type="date"
            label={t(`usage.${end}`)}
            defaultValue={filter[end] ?? ''}
            onBlur={({ currentTarget }) => {
              if (currentTarget.value !== (filter[end] ?? '')) change(end, currentTarget.value);
            }}
          />
        ))}
        <Button type="submit" variant="default">
          {t('usage.apply')}
        </Button>
      </div>
    </form>
  );
}

type Keys = readonly { id: string; name: string }[];

/** Returns who made a call: a key or, in an organization, a credential and its person. */
function callersOf({ key, member, credential }: Call, keys: Keys, t: Translate): string[] {
  if (credential === undefined) return key === undefined ? [] : [key?.name ?? t('overview.no_key')];
  if (credential === null) return [];
  const name = keys.find(({ id }) => id === credential.id)?.name;
  return [member?.email, name ?? t(`change.kind_${credential.kind}`)].filter(
    (text) => typeof text === 'string',
  );
}

function CallRow({ call, keys }: { call: Call; keys: Keys }) {
  const { t } = useTranslation();
  const { item, kind, outcome, layer, duration_ms, at } = call;
  return (
    <li className="list-row columns">
      <Row
        name={<bdi>{item.name ?? t('usage.unknown_item')}</bdi>}
        about={[t(`call_kind.${kind}`), ...callersOf(call, keys, t)].join(' · ')}
        end={<Moment at={at} />}
      >
        <Fact>
          <OutcomeBadge outcome={outcome} layer={layer} />
        </Fact>
        <Fact isNumber>{duration_ms !== null && t('usage.duration', { ms: duration_ms })}</Fact>
      </Row>
    </li>
  );
}

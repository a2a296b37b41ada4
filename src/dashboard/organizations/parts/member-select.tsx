import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { membersQuery, personName } from '../members/members.ts';
import { useOrganization } from '../use-organization.ts';
import { Problem } from './problem.tsx';

const SEARCH_MS = 250;

/** Chooses a member of the organization; the service searches. */
export function MemberSelect({
  value,
  error,
  outside,
  onChange,
}: {
  value?: string | null;
  error?: ReactNode;
  /** Leaves out who is in this team. */
  outside?: string;
  onChange(account_id: string | null): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search.trim(), SEARCH_MS);
  const members = useInfiniteQuery(membersQuery(id, q));
  const found = (members.data?.pages.flatMap(({ data }) => data) ?? []).filter(
    ({ teams }) => !teams.some((team) => team.id === outside),
  );
  return (
    <>
      {members.isError && <Problem error={members.error} onRetry={() => void members.refetch()} />}
      <Select
        label={t('members.member')}
        description={t('members.search_hint')}
        searchable
        required
        // The service has searched.
        filter={({ options }) => options}
        onSearchChange={setSearch}
        data={found.map((one) => ({ value: one.account_id, label: one.email ?? personName(one) }))}
        renderOption={({ option }) => {
          const one = found.find(({ account_id }) => account_id === option.value);
          return (
            <div>
              {one !== undefined && personName(one) !== option.label && (
                <Text size="sm">
                  <bdi>{personName(one)}</bdi>
                </Text>
              )}
              <Text size="sm" c="dimmed">
                <bdi>{option.label}</bdi>
              </Text>
            </div>
          );
        }}
        nothingFoundMessage={t('members.none')}
        data-autofocus
        value={value ?? null}
        error={error}
        onChange={onChange}
      />
    </>
  );
}

import { NativeSelect, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Subject, SubjectKind } from '../../../explorer/schema.ts';
import { NeedsPermission, Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import filters from '../../parts/filters.module.css';
import { MAX_OPTIONS } from '../../parts/max-options.ts';
import { shortId } from '../../parts/short-id.ts';
import { SUBJECT_KINDS } from '../access-search.ts';
import type { SubjectChoice } from '../access-search.ts';
import { isSearched, NEEDED, subjectName, subjectsQuery } from './subjects.ts';
import type { SubjectOption } from './subjects.ts';

/** Chooses a subject: its kind, for a member's key the member, and which one. */
export function SubjectField({
  kinds = SUBJECT_KINDS,
  value: { kind = 'member', subject },
  known,
  onChange,
}: {
  kinds?: readonly SubjectKind[];
  value: SubjectChoice;
  /** The record of the chosen one, once it is read. */
  known: Subject | undefined;
  onChange(choice: SubjectChoice): void;
}) {
  const { t } = useTranslation();
  const [chosenOwner, setOwner] = useState<string | null>(null);
  const owner = chosenOwner ?? (kind === 'key' ? (known?.owner?.account_id ?? null) : null);
  const current: SubjectOption[] =
    subject === undefined
      ? []
      : [{ value: subject, label: known === undefined ? shortId(subject) : subjectName(known) }];
  const currentOwner =
    kind === 'key' && known?.owner?.account_id === owner && owner !== null
      ? [{ value: owner, label: known.owner.email ?? shortId(owner) }]
      : [];
  return (
    <div className={filters.filters}>
      <NativeSelect
        label={t('access.kind')}
        value={kind}
        data={kinds.map((one) => ({ value: one, label: t(`access.kind_${one}`) }))}
        onChange={({ currentTarget }) => {
          setOwner(null);
          onChange({ kind: currentTarget.value as SubjectKind });
        }}
      />
      {kind === 'key' && (
        <SubjectSelect
          label={t('access.owner')}
          kind="member"
          owner={null}
          value={owner}
          current={currentOwner}
          onChange={(chosen) => {
            setOwner(chosen);
            onChange({ kind });
          }}
        />
      )}
      <SubjectSelect
        key={`${kind} ${owner}`}
        label={t(`access.kind_${kind}`)}
        kind={kind}
        owner={owner}
        value={subject ?? null}
        current={current}
        isDisabled={kind === 'key' && owner === null}
        onChange={(chosen) => onChange({ kind, ...(chosen === null ? {} : { subject: chosen }) })}
      />
    </div>
  );
}

const SEARCH_MS = 250;

function SubjectSelect({
  label,
  kind,
  owner,
  value,
  current,
  isDisabled = false,
  onChange,
}: {
  label: string;
  kind: SubjectKind;
  owner: string | null;
  value: string | null;
  /** The chosen one, which the list may not have. */
  current: readonly SubjectOption[];
  isDisabled?: boolean;
  onChange(chosen: string | null): void;
}) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const needed = NEEDED[kind];
  const isLacking = needed !== null && !may(needed);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), SEARCH_MS);
  // The field shows the name of what is chosen, which is no search.
  const searched = current.some((one) => one.label === q) ? '' : q;
  const query = subjectsQuery(id, { kind, owner, q: isSearched(kind) ? searched : '' });
  const {
    data = [],
    error,
    refetch,
  } = useQuery({
    ...query,
    enabled: query.enabled !== false && !isLacking,
    placeholderData: (before) => before,
  });
  const missing = current.filter((one) => !data.some((found) => found.value === one.value));
  const all = [...data, ...missing];
  return (
    <div>
      <Select
        label={label}
        placeholder={t('access.search')}
        searchable
        clearable={false}
        disabled={isDisabled}
        limit={MAX_OPTIONS}
        {...(isSearched(kind) ? { filter: ({ options }) => options } : {})}
        searchValue={typed}
        onSearchChange={setTyped}
        data={all.map((one) => ({ value: one.value, label: one.label }))}
        renderOption={({ option }) => (
          <div>
            <Text size="sm">
              <bdi>{option.label}</bdi>
            </Text>
            <Note text={all.find((one) => one.value === option.value)?.note} />
          </div>
        )}
        nothingFoundMessage={t('picker.no_match')}
        value={value}
        onChange={onChange}
      />
      {isLacking && value === null && <NeedsPermission permission={needed} />}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
    </div>
  );
}

const Note = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <Text size="xs" c="dimmed">
      <bdi>{text}</bdi>
    </Text>
  );

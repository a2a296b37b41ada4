import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Reference } from '../../../platform/http/reference.ts';
import { MAX_OPTIONS } from '../../parts/max-options.ts';
import { pathOf, wholeQuery } from '../organizations.ts';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { shortId } from '../../parts/short-id.ts';
import { useOrganization } from '../use-organization.ts';
import type { ListName } from './policies.ts';

const SOURCES: Record<Exclude<ListName, 'patterns'>, { path: string; needs: string | null }> = {
  tools: { path: '/catalog/tools', needs: null },
  custom_tools: { path: '/custom-tools/scopable', needs: 'can_view_organization_tools' },
  prompts: { path: '/prompts/scopable', needs: 'can_view_organization_prompts' },
  platform_prompts: { path: '/catalog/prompts', needs: null },
  agents: { path: '/agents', needs: 'can_view_organization_agents' },
};

/** Chooses items of the organization by name; a pattern names none. */
export function PolicyItems({
  list,
  isReadOnly,
  value = [],
  onChange,
  onLeft,
  ...input
}: {
  list: Exclude<ListName, 'patterns'>;
  isReadOnly: boolean;
  value?: string[];
  onChange?(value: string[]): void;
  /** Called with a text that names no item, when the person is done with it; empty: it is gone. */
  onLeft(name: string): void;
}) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const { path, needs } = SOURCES[list];
  const isVisible = needs === null || may(needs);
  const items = useQuery({ ...wholeQuery<Reference>(pathOf(id, path)), enabled: isVisible });
  const [search, setSearch] = useState('');
  const known = (items.data ?? []).map((item) => ({ value: item.id, label: item.name }));
  const ids = new Set(known.map((item) => item.value));
  const unknown = value
    .filter((one) => !ids.has(one))
    .map((one) => ({ value: one, label: t('org_policy.unknown', { id: shortId(one) }) }));
  if (isReadOnly && !isVisible && value.length === 0) return null;

  /** Chooses the item that has exactly the typed name, else says that there is none. */
  function take(): void {
    const name = search.trim();
    if (name === '') return;
    const item = known.find(({ label }) => label === name);
    if (item === undefined) return onLeft(name);
    if (!value.includes(item.value)) onChange?.([...value, item.value]);
    change('');
  }
  function change(text: string): void {
    setSearch(text);
    onLeft('');
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key !== 'Enter' || search.trim() === '') return;
    // The library chooses the option that an arrow key has led to; the form is not sent.
    if (event.currentTarget.getAttribute('aria-activedescendant')) return;
    event.preventDefault();
    take();
  }
  return (
    <>
      {needs !== null && !isVisible && <NeedsPermission permission={needs} />}
      {items.isError && <Problem error={items.error} onRetry={() => void items.refetch()} />}
      <MultiSelect
        {...input}
        label={t(`org_policy.list_${list}`)}
        searchable
        limit={MAX_OPTIONS}
        readOnly={isReadOnly || !isVisible}
        data={[...known, ...unknown]}
        value={value}
        searchValue={search}
        // The library would empty the field when it is left.
        onSearchChange={() => {}}
        onInput={({ currentTarget }) => change(currentTarget.value)}
        onOptionSubmit={() => change('')}
        onKeyDown={onKeyDown}
        onBlur={take}
        {...(onChange === undefined ? {} : { onChange })}
      />
    </>
  );
}

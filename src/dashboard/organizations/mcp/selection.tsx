import { Checkbox, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeText } from '../../parts/code-text.tsx';
import { FilterField } from '../../parts/filter-field.tsx';
import styles from '../organizations.module.css';
import { Problem } from '../parts/problem.tsx';
import { Loading } from '../../parts/loading.tsx';
import { TryLink } from '../../try/try-link.tsx';
import { useOrganization } from '../use-organization.ts';

export interface Choice {
  id: string;
  name: string;
  description: string;
}

/** Built-in items with two choices each: selected, and then for everyone or by team policies. */
export function Selection({
  title,
  hint,
  items,
  isReadOnly,
  selected,
  wide,
  tried = [],
  onChange,
}: {
  title: string;
  hint?: string;
  items: { data: Choice[] | undefined; error: unknown; refetch(): unknown };
  isReadOnly: boolean;
  selected: readonly string[];
  wide: readonly string[];
  /** Those with a link to call them. */
  tried?: readonly string[];
  onChange(selected: string[], wide: string[]): void;
}) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState('');
  const all = items.data ?? [];
  const matches = all.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(filter.trim().toLowerCase()),
  );
  const ids = matches.map(({ id }) => id);
  const isAll = ids.length > 0 && ids.every((id) => selected.includes(id));
  const select = (changed: readonly string[], isSelected: boolean) => {
    const others = selected.filter((id) => !changed.includes(id));
    onChange(
      isSelected ? [...others, ...changed] : others,
      isSelected ? [...wide] : wide.filter((id) => !changed.includes(id)),
    );
  };
  return (
    <fieldset className="plain" aria-label={title}>
      <Group justify="space-between" mb="xs" gap="sm">
        <legend>
          <Title order={2} component="span">
            {title}
          </Title>{' '}
          <Text span size="sm" c="dimmed">
            {t('mcp.selected', {
              count: all.filter(({ id }) => selected.includes(id)).length,
              total: all.length,
            })}
          </Text>
        </legend>
        <FilterField
          aria-label={`${t('form.search')}: ${title}`}
          placeholder={t('form.search')}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </Group>
      {hint !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {hint}
        </Text>
      )}
      {items.error !== null && <Problem error={items.error} onRetry={() => void items.refetch()} />}
      {items.data === undefined && items.error === null && <Loading height={160} />}
      {items.data !== undefined && (
        <div className="card list">
          <Checkbox
            className="list-row"
            label={t('form.select_all')}
            checked={isAll}
            indeterminate={!isAll && ids.some((id) => selected.includes(id))}
            disabled={isReadOnly || ids.length === 0}
            onChange={() => select(ids, !isAll)}
          />
          {matches.map((item) => (
            <Item
              key={item.id}
              item={item}
              isReadOnly={isReadOnly}
              isSelected={selected.includes(item.id)}
              isWide={wide.includes(item.id)}
              isTried={tried.includes(item.id)}
              onSelect={(isSelected) => select([item.id], isSelected)}
              onWiden={(isWide) =>
                onChange(
                  [...selected],
                  isWide ? [...wide, item.id] : wide.filter((id) => id !== item.id),
                )
              }
            />
          ))}
          {matches.length === 0 && <Text className="list-row">{t('mcp.no_match')}</Text>}
        </div>
      )}
    </fieldset>
  );
}

function Item({
  item: { name, description },
  isReadOnly,
  isSelected,
  isWide,
  isTried,
  onSelect,
  onWiden,
}: {
  item: Choice;
  isReadOnly: boolean;
  isSelected: boolean;
  isWide: boolean;
  isTried: boolean;
  onSelect(isSelected: boolean): void;
  onWiden(isWide: boolean): void;
}) {
  const { t } = useTranslation();
  const { id: organization } = useOrganization();
  return (
    <Group className="list-row" justify="space-between" gap="sm">
      <Checkbox
        flex="1 1 16rem"
        label={<bdi>{name}</bdi>}
        description={<CodeText text={description} />}
        classNames={{ description: styles.clamped ?? '' }}
        checked={isSelected}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
      />
      {isTried && <TryLink item={name} organization={organization} />}
      {isSelected && (
        <SegmentedControl
          size="xs"
          aria-label={t('org_mcp.reach_of', { name })}
          value={isWide ? 'wide' : 'teams'}
          disabled={isReadOnly}
          onChange={(value) => onWiden(value === 'wide')}
          data={[
            { value: 'teams', label: t('org_mcp.by_teams') },
            { value: 'wide', label: t('org_mcp.wide') },
          ]}
        />
      )}
    </Group>
  );
}

import { Box, Checkbox, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeText } from '../parts/code-text.tsx';
import classes from './mcp.module.css';

export interface Choice {
  id: string;
  name: string;
  title?: string;
  description: string;
}

/** Built-in items of one kind, of which those that match the page's filter can be selected. */
export function Choices({
  title,
  hint,
  items,
  filter,
  selected,
  isReadOnly = false,
  onChange,
  children,
}: {
  title: string;
  hint?: string;
  items: readonly Choice[];
  filter: string;
  selected: readonly string[];
  isReadOnly?: boolean;
  onChange(selected: string[]): void;
  /** Returns what else can be done with an item. */
  children?(item: Choice): ReactNode;
}) {
  const { t } = useTranslation();
  const matches = items.filter(({ name, title: itemTitle = '', description }) =>
    `${name} ${itemTitle} ${description}`.toLowerCase().includes(filter.trim().toLowerCase()),
  );
  const ids = matches.map(({ id }) => id);
  const isAll = ids.length > 0 && ids.every((id) => selected.includes(id));
  const select = (changed: readonly string[], isSelected: boolean) => {
    const others = selected.filter((id) => !changed.includes(id));
    onChange(isSelected ? [...others, ...changed] : others);
  };
  return (
    <fieldset className="plain" aria-label={title}>
      <Box component="legend" p={0} mb="xs">
        <Title order={2} component="span">
          {title}
        </Title>{' '}
        <Text span size="sm" c="dimmed">
          {t('mcp.selected', {
            count: items.filter(({ id }) => selected.includes(id)).length,
            total: items.length,
          })}
        </Text>
      </Box>
      {hint !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {hint}
        </Text>
      )}
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
          <Group
            key={item.id}
            className={`list-row ${classes.row}`}
            justify="space-between"
            gap="xs"
          >
            <Checkbox
              className={classes.item}
              label={
                <Text span inherit fw={600}>
                  <bdi>{item.name}</bdi>
                </Text>
              }
              description={<CodeText text={item.description} />}
              checked={selected.includes(item.id)}
              disabled={isReadOnly}
              onChange={({ currentTarget }) => select([item.id], currentTarget.checked)}
            />
            {children?.(item)}
          </Group>
        ))}
        {matches.length === 0 && (
          <Text className="list-row" c="dimmed">
            {t('mcp.no_match')}
          </Text>
        )}
      </div>
    </fieldset>
  );
}

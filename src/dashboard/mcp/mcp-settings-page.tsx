import { Alert, Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { McpSettings } from '../../content/selection/schema.ts';
import {
  catalogPromptsQuery,
  catalogToolsQuery,
  mcpSettingsQuery,
  saveMcpSettings,
} from './mcp-settings.ts';
import { inGroups } from './management-tools.ts';
import { CodeText } from '../parts/code-text.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { FilterField } from '../parts/filter-field.tsx';
import { Page } from '../parts/page.tsx';
import { SaveBar } from '../parts/save-bar.tsx';
import { Loading } from '../parts/loading.tsx';
import { TryLink } from '../try/try-link.tsx';

/** Chooses the built-in items that keys and connections can reach. */
export function McpSettingsPage() {
  const { t } = useTranslation();
  const settings = useQuery(mcpSettingsQuery);
  const failed = [settings].find(({ isError }) => isError);
  return (
    <Page title={t('mcp.title')} about={t('mcp.intro')}>
      {failed && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />}
      {settings.isPending && <Loading height={320} />}
      {settings.data !== undefined && <Selection saved={settings.data} />}
    </Page>
  );
}

function Selection({ saved }: { saved: McpSettings }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [selection, setSelection] = useState(saved);
  const tools = useQuery(catalogToolsQuery);
  const prompts = useQuery(catalogPromptsQuery);
  const { others, management } = inGroups(tools.data ?? []);
  const save = useMutation({
    mutationFn: saveMcpSettings,
    onSuccess: () => queries.invalidateQueries(),
  });
  const change = (part: Partial<McpSettings>) => {
    save.reset();
    setSelection({ ...selection, ...part });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(selection);
      }}
    >
      <Stack gap="xl">
        <Choices
          title={t('mcp.tools')}
          items={others}
          isPending={tools.isPending}
          selected={selection.tools}
          tried={saved.tools}
          onChange={(chosen) => change({ tools: chosen })}
        />
        <Choices
          title={t('mcp.management')}
          hint={t('mcp.management_hint')}
          items={management}
          isPending={tools.isPending}
          selected={selection.tools}
          tried={saved.tools}
          onChange={(chosen) => change({ tools: chosen })}
        />
        <Choices
          title={t('mcp.prompts')}
          items={prompts.data ?? []}
          isPending={prompts.isPending}
          selected={selection.platform_prompts}
          onChange={(chosen) => change({ platform_prompts: chosen })}
        />
        {save.isError && <ErrorAlert error={save.error} />}
        {save.isSuccess && <Alert role="status">{t('mcp.saved')}</Alert>}
        <SaveBar>
          <Button type="submit" loading={save.isPending}>
            {t('form.save')}
          </Button>
        </SaveBar>
      </Stack>
    </form>
  );
}

interface Choice {
  id: string;
  name: string;
  title: string;
  description: string;
}

function Choices({
  title,
  hint,
  items,
  isPending,
  selected,
  tried = [],
  onChange,
}: {
  title: string;
  hint?: string;
  items: readonly Choice[];
  isPending: boolean;
  selected: readonly string[];
  /** Those that can be called now, each with a link to do so. */
  tried?: readonly string[];
  onChange(selected: string[]): void;
}) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState('');
  const matches = items.filter(({ name, title: itemTitle, description }) =>
    `${name} ${itemTitle} ${description}`.toLowerCase().includes(filter.toLowerCase()),
  );
  const chosen = new Set(selected);
  const all = matches.length > 0 && matches.every(({ id }) => chosen.has(id));
  const some = matches.some(({ id }) => chosen.has(id));
  const ids = matches.map(({ id }) => id);
  return (
    <fieldset className="plain" aria-label={title}>
      <Group justify="space-between" mb="xs" gap="sm">
        <legend>
          <Title order={2} component="span">
            {title}
          </Title>{' '}
          <Text span size="sm" c="dimmed">
            {t('mcp.selected', {
              count: items.filter(({ id }) => chosen.has(id)).length,
              total: items.length,
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
      {isPending && <Loading height={160} />}
      <div className="card list">
        <Checkbox
          className="list-row"
          label={t('form.select_all')}
          checked={all}
          indeterminate={some && !all}
          disabled={matches.length === 0}
          onChange={() =>
            onChange(
              all
                ? selected.filter((id) => !ids.includes(id))
                : [...new Set([...selected, ...ids])],
            )
          }
        />
        {matches.map(({ id, name, description }) => (
          <Group key={id} className="list-row" justify="space-between" gap="sm">
            <Checkbox
              flex="1 1 16rem"
              label={<bdi>{name}</bdi>}
              description={<CodeText text={description} />}
              checked={chosen.has(id)}
              onChange={({ currentTarget }) =>
                onChange(
                  currentTarget.checked ? [...selected, id] : selected.filter((one) => one !== id),
                )
              }
            />
            {tried.includes(id) && <TryLink item={name} />}
          </Group>
        ))}
        {!isPending && matches.length === 0 && (
          <Text className="list-row" c="dimmed">
            {t('mcp.no_match')}
          </Text>
        )}
      </div>
    </fieldset>
  );
}

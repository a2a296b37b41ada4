import { Alert, Button, Stack } from '@mantine/core';
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
import { Choices } from './choices.tsx';
import type { Choice } from './choices.tsx';
import { inGroups } from './management-tools.ts';
import classes from './mcp.module.css';
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
  const [filter, setFilter] = useState('');
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
  const toolChoices = {
    filter,
    selected: selection.tools,
    onChange: (chosen: string[]) => change({ tools: chosen }),
    // Only what is saved can be called.
    children: ({ id, name }: Choice) => saved.tools.includes(id) && <TryLink item={name} />,
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(selection);
      }}
    >
      <Stack gap="xl">
        <FilterField
          className={classes.filter}
          aria-label={t('form.search')}
          placeholder={t('form.search')}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        {tools.data === undefined ? (
          <Loading height={160} />
        ) : (
          <>
            <Choices title={t('mcp.tools')} items={others} {...toolChoices} />
            <Choices
              title={t('mcp.management')}
              hint={t('mcp.management_hint')}
              items={management}
              {...toolChoices}
            />
          </>
        )}
        {prompts.data === undefined ? (
          <Loading height={160} />
        ) : (
          <Choices
            title={t('mcp.prompts')}
            items={prompts.data}
            filter={filter}
            selected={selection.platform_prompts}
            onChange={(chosen) => change({ platform_prompts: chosen })}
          />
        )}
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

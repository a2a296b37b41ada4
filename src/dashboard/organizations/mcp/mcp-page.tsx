import { Button, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';
import type { OrganizationMcpSettings } from '../../../content/selection/schema.ts';
import { request } from '../../api/request.ts';
import type { Choice } from '../../mcp/choices.tsx';
import { inGroups } from '../../mcp/management-tools.ts';
import classes from '../../mcp/mcp.module.css';
import { FilterField } from '../../parts/filter-field.tsx';
import { Page } from '../../parts/page.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { pathOf, wholeQuery } from '../organizations.ts';
import { ChangePreview } from '../parts/change-preview.tsx';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { Loading } from '../../parts/loading.tsx';
import { OrganizationChoices } from './organization-choices.tsx';

/** Chooses the built-in items of the organization, for all of it or by the policies of its teams. */
export function OrganizationMcpPage() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const settings = useQuery({
    queryKey: ['organization-mcp-settings', id],
    queryFn: ({ signal }) =>
      request<OrganizationMcpSettings>(pathOf(id, '/mcp-settings'), { signal }),
  });
  return (
    <Page title={t('mcp.title')} about={t('org_mcp.intro')}>
      {settings.isError && (
        <Problem error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.isPending && <Loading height={320} />}
      {settings.data !== undefined && (
        <Settings key={JSON.stringify(settings.data)} saved={settings.data} />
      )}
    </Page>
  );
}

function Settings({ saved }: { saved: OrganizationMcpSettings }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState(saved);
  const [filter, setFilter] = useState('');
  const tools = useQuery(wholeQuery<Choice>(pathOf(id, '/catalog/tools')));
  const prompts = useQuery(wholeQuery<Choice>(pathOf(id, '/catalog/prompts')));
  const path = pathOf(id, '/mcp-settings');
  const save = useMutation({
    mutationFn: () => request<OrganizationMcpSettings>(path, { method: 'PUT', body: chosen }),
    async onSuccess() {
      notifications.show({ message: t('mcp.saved') });
      await queries.invalidateQueries();
    },
  });
  const mayWrite = may('can_update_organization_mcp_settings');
  const toolChoices = {
    filter,
    isReadOnly: !mayWrite,
    selected: chosen.tools,
    wide: chosen.organization_wide_tools,
    tried: saved.tools,
    onChange: (selected: string[], wide: string[]) =>
      setChosen({ ...chosen, tools: selected, organization_wide_tools: wide }),
  };
  const isChanged = textOf(chosen) !== textOf(saved);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="xl">
        {!mayWrite && <NeedsPermission permission="can_update_organization_mcp_settings" />}
        <FilterField
          className={classes.filter}
          aria-label={t('form.search')}
          placeholder={t('form.search')}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <Loaded list={tools}>
          {(all) => {
            const { others, management } = inGroups(all);
            return (
              <>
                <OrganizationChoices title={t('mcp.tools')} items={others} {...toolChoices} />
                <OrganizationChoices
                  title={t('mcp.management')}
                  hint={t('mcp.management_hint')}
                  items={management}
                  {...toolChoices}
                />
              </>
            );
          }}
        </Loaded>
        <Loaded list={prompts}>
          {(all) => (
            <OrganizationChoices
              title={t('mcp.prompts')}
              items={all}
              filter={filter}
              isReadOnly={!mayWrite}
              selected={chosen.platform_prompts}
              wide={chosen.organization_wide_prompts}
              onChange={(selected, wide) =>
                setChosen({
                  ...chosen,
                  platform_prompts: selected,
                  organization_wide_prompts: wide,
                })
              }
            />
          )}
        </Loaded>
        {save.isError && <Problem error={save.error} />}
        {mayWrite && isChanged && <ChangePreview path={path} body={chosen} isOfCredentials />}
        {mayWrite && (
          <SaveBar>
            <Button type="submit" loading={save.isPending}>
              {t('form.save')}
            </Button>
          </SaveBar>
        )}
      </Stack>
    </form>
  );
}

/** The order in which items were chosen does not matter. */
const textOf = (settings: OrganizationMcpSettings) =>
  JSON.stringify(Object.entries(settings).map(([name, ids]) => [name, ids.toSorted()]));

/** A list of built-in items once it is loaded. */
function Loaded({
  list: { data, error, refetch },
  children,
}: {
  list: { data: Choice[] | undefined; error: unknown; refetch(): unknown };
  children(all: readonly Choice[]): ReactNode;
}) {
  if (data !== undefined) return children(data);
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  return <Loading height={160} />;
}

import { Button, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OrganizationMcpSettings } from '../../../content/selection/schema.ts';
import { request } from '../../api/request.ts';
import { inGroups } from '../../mcp/management-tools.ts';
import { Page } from '../../parts/page.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { pathOf, wholeQuery } from '../organizations.ts';
import { ChangePreview } from '../parts/change-preview.tsx';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { Selection } from './selection.tsx';
import type { Choice } from './selection.tsx';
import { Loading } from '../../parts/loading.tsx';

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
  const groups = tools.data === undefined ? undefined : inGroups(tools.data);
  const toolChoices = {
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
        <Selection
          title={t('mcp.tools')}
          {...toolChoices}
          items={{ ...tools, data: groups?.others }}
        />
        <Selection
          title={t('mcp.management')}
          hint={t('mcp.management_hint')}
          {...toolChoices}
          items={{ ...tools, data: groups?.management }}
        />
        <Selection
          title={t('mcp.prompts')}
          items={prompts}
          isReadOnly={!mayWrite}
          selected={chosen.platform_prompts}
          wide={chosen.organization_wide_prompts}
          onChange={(selected, wide) =>
            setChosen({ ...chosen, platform_prompts: selected, organization_wide_prompts: wide })
          }
        />
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

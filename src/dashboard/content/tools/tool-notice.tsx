import { Button, Group, List, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconKey, IconLock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Differences } from '../differences.tsx';
import { itemQuery } from '../items.ts';
import { useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Warning } from '../../parts/warning.tsx';
import { describedBy } from './described-by.ts';
import { approveTool } from './tools.ts';
import type { Tool } from './tool.ts';
import { listOf } from '../../texts/texts.ts';

type McpTool = Extract<Tool, { kind: 'mcp' }>;

/** What keeps a tool from working: its quarantine, missing secrets, and what model APIs refuse. */
export function ToolNotice({ item }: { item: Tool }) {
  const { t } = useTranslation();
  const missing = item.kind === 'http' ? item.missing_secrets : [];
  return (
    <Stack gap="sm">
      {item.kind === 'mcp' && item.held !== null && <Quarantine tool={item} held={item.held} />}
      {missing.length > 0 && (
        <Warning icon={<IconKey aria-hidden />} role="status">
          {t('content.tools.missing_secrets', { names: listOf(missing) })}
        </Warning>
      )}
      {item.warnings.length > 0 && (
        <Warning icon={<IconAlertTriangle aria-hidden />} title={t('content.tools.not_portable')}>
          <List size="sm">
            {item.warnings.map(({ message, detail }) => (
              <List.Item key={`${detail.pointer} ${message}`}>{message}</List.Item>
            ))}
          </List>
        </Warning>
      )}
    </Stack>
  );
}

function Quarantine({ tool, held }: { tool: McpTool; held: NonNullable<McpTool['held']> }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const space = useSpace();
  const { queryKey } = itemQuery<Tool>({ space, path: 'custom-tools' }, tool.id);
  const approve = useMutation({
    mutationFn: () => approveTool(space, tool.id, held.found.pin),
    async onSuccess(approved) {
      queries.setQueryData(queryKey, approved);
      notifications.show({ message: t('content.tools.approved', { name: tool.name }) });
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
    // The server may have changed the tool again: what is approved is what is then shown.
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Warning role="alert" icon={<IconLock aria-hidden />} title={t('content.tools.held')}>
      <Stack gap="md">
        <Text size="sm">{t('content.tools.held_body')}</Text>
        <Differences
          left={describedBy(tool)}
          right={describedBy(held.found)}
          leftTitle={t('content.tools.approved_description')}
          rightTitle={t('content.tools.found_description')}
        />
        {approve.isError && <ErrorAlert error={approve.error} />}
        <Group>
          <Button size="xs" loading={approve.isPending} onClick={() => approve.mutate()}>
            {t('content.tools.approve')}
          </Button>
        </Group>
      </Stack>
    </Warning>
  );
}

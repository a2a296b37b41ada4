import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { UpstreamRecord } from '../../../content/upstreams/schema.ts';
import { Section } from '../section.tsx';
import { addressOf, useSpace } from '../space.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Page } from '../../parts/page.tsx';
import { AddAll } from './add-all.tsx';
import { Discovery } from './discovery.tsx';
import { ServerChanges } from './server-changes.tsx';
import { ServerConnection } from './server-connection.tsx';
import { removeUpstream, upstreamQuery } from './tools.ts';
import { UpstreamForm } from './upstream-form.tsx';
import { Loading } from '../../parts/loading.tsx';

/** One MCP server: what changed there, its tools, how it is reached, and removing it. */
export function UpstreamPage() {
  const { t } = useTranslation();
  const space = useSpace();
  const { upstreamId = '' } = useParams({ strict: false });
  const server = useQuery(upstreamQuery(space, upstreamId));
  const parents = useParents();
  if (server.data === undefined)
    return (
      <Page title={t('content.tools.servers')}>
        {server.isError ? (
          <ErrorAlert error={server.error} onRetry={() => void server.refetch()} />
        ) : (
          <Loading height={240} />
        )}
      </Page>
    );
  return (
    <Page
      title={server.data.name}
      parents={parents}
      actions={<RemoveServer server={server.data} />}
    >
      <Stack gap="xl">
        {server.data.oauth !== null && (
          <Section title={t('content.tools.oauth.account_title')}>
            <ServerConnection server={{ api: space.api, id: server.data.id }} />
          </Section>
        )}
        <ServerChanges server={server.data} />
        <AddAll key={server.data.id} server={server.data} />
        <Discovery server={server.data} />
        <Section title={t('content.tools.connection')}>
          <UpstreamForm key={server.data.id} server={server.data} onSaved={() => {}} />
        </Section>
      </Stack>
    </Page>
  );
}

/** Adds an MCP server. */
export function NewUpstreamPage() {
  const { t } = useTranslation();
  const space = useSpace();
  const navigate = useNavigate();
  return (
    <Page title={t('content.tools.add_server')} parents={useParents()}>
      <UpstreamForm
        server={null}
        onSaved={({ id }) => void navigate({ to: addressOf(space, 'tools', `upstreams/${id}`) })}
      />
    </Page>
  );
}

/** The pages above that of an MCP server. */
function useParents() {
  const { t } = useTranslation();
  const space = useSpace();
  return [
    { to: addressOf(space, 'tools'), label: t('content.tools.title') },
    { to: addressOf(space, 'tools', 'upstreams'), label: t('content.tools.servers') },
  ];
}

function RemoveServer({ server: { id, name } }: { server: UpstreamRecord }) {
  const { t } = useTranslation();
  const space = useSpace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, dialog] = useDisclosure(false);
  const remove = useMutation({
    mutationFn: () => removeUpstream(space, id),
    async onSuccess() {
      notifications.show({ message: t('content.tools.server_removed', { name }) });
      await navigate({ to: addressOf(space, 'tools', 'upstreams') });
      queries.removeQueries({ queryKey: upstreamQuery(space, id).queryKey });
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
  });
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('content.tools.remove')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('content.tools.remove_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('content.tools.remove_server')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('content.tools.remove_body')}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ConnectionRecord } from '../../../content/upstreams/oauth/schema.ts';
import { RequestError } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import {
  approveIssuer,
  connectionQuery,
  connectServer,
  disconnectServer,
} from './connection-api.ts';
import type { ConnectedServer } from './connection-api.ts';

/** The account that is connected at a server, with connecting and disconnecting. */
export function ServerConnection({ server }: { server: ConnectedServer }) {
  const connection = useQuery(connectionQuery(server));
  if (connection.data !== undefined) return <Connection server={server} found={connection.data} />;
  return connection.isError ? (
    <ErrorAlert error={connection.error} onRetry={() => void connection.refetch()} />
  ) : (
    <Loading height={160} />
  );
}

const LOOKS = {
  connected: { variant: 'light', color: 'teal' },
  ended: { variant: 'light', color: 'red' },
  not_connected: { variant: 'default' },
} as const;

function Connection({ server, found }: { server: ConnectedServer; found: ConnectionRecord }) {
  const { t } = useTranslation();
  const { state, may_connect } = found;
  const connect = useMutation({ mutationFn: () => connectServer(server) });
  return (
    <>
      <Group gap="sm">
        <Badge {...LOOKS[state]} tt="none">
          {t(`content.tools.oauth.state_${state}`)}
        </Badge>
        <Text size="sm" c="dimmed">
          {t(`content.tools.oauth.${found.connection}_hint`)}
        </Text>
      </Group>
      {state !== 'not_connected' && <Facts found={found} />}
      {connect.isError && <ConnectError server={server} error={connect.error} />}
      {may_connect ? (
        <Group gap="sm">
          <Button
            variant={state === 'connected' ? 'default' : 'filled'}
            loading={connect.isPending || connect.isSuccess}
            onClick={() => connect.mutate()}
          >
            {t(
              state === 'not_connected'
                ? 'content.tools.oauth.connect'
                : 'content.tools.oauth.connect_again',
            )}
          </Button>
          {state !== 'not_connected' && <Disconnect server={server} found={found} />}
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          {t('content.tools.oauth.not_allowed')}
        </Text>
      )}
    </>
  );
}

function Facts({ found }: { found: ConnectionRecord }) {
  const { t } = useTranslation();
  const { account, scopes, connected_by_email, connected_at, refreshed_at, issuer } = found;
  const facts = [
    ['account', account],
    ['scopes', scopes.length > 0 ? scopes.join(' ') : null],
    ['issuer', issuer],
    ['connected_by', connected_by_email],
    ['connected_at', connected_at && <Moment at={connected_at} />],
    ['refreshed_at', refreshed_at && <Moment at={refreshed_at} />],
  ] as const;
  return (
    <dl className="card facts">
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{t(`content.tools.oauth.${name}`)}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** Why connecting failed; another authorization server than before can be approved. */
function ConnectError({ server, error }: { server: ConnectedServer; error: unknown }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const detail = error instanceof RequestError ? error.errors[0]?.detail : null;
  const { issuer } = detail ?? {};
  const approve = useMutation({
    mutationFn: (approved: string) => approveIssuer(server, approved),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['content'] }),
  });
  if (!(error instanceof RequestError) || error.code !== 'issuer_changed' || issuer === undefined)
    return <ErrorAlert error={error} />;
  if (approve.isSuccess)
    return <Alert role="status">{t('content.tools.oauth.issuer_approved')}</Alert>;
  return (
    <Alert role="alert" color="orange" title={t('content.tools.oauth.issuer_changed')}>
      <Text size="sm">
        {t('content.tools.oauth.issuer_changed_body')} <bdi dir="ltr">{issuer}</bdi>
      </Text>
      {approve.isError && <ErrorAlert error={approve.error} />}
      <Button
        mt="sm"
        color="orange"
        variant="outline"
        loading={approve.isPending}
        onClick={() => approve.mutate(issuer)}
      >
        {t('content.tools.oauth.approve_issuer')}
      </Button>
    </Alert>
  );
}

function Disconnect({ server, found }: { server: ConnectedServer; found: ConnectionRecord }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const { name } = found.upstream;
  const disconnect = useMutation({
    mutationFn: () => disconnectServer(server),
    async onSuccess() {
      dialog.close();
      notifications.show({ message: t('content.tools.oauth.disconnected', { name }) });
      await queries.invalidateQueries({ queryKey: connectionQuery(server).queryKey });
    },
  });
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('content.tools.oauth.disconnect')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('content.tools.oauth.disconnect_title', { name })}
          name={name}
          typeLabel={null}
          action={t('content.tools.oauth.disconnect')}
          isPending={disconnect.isPending}
          error={disconnect.error}
          onConfirm={() => disconnect.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('content.tools.oauth.disconnect_body')}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { completeConnection, connectionQuery } from './connection-api.ts';
import type { ConnectedServer } from './connection-api.ts';
import { ServerConnection } from './server-connection.tsx';

/** Where a person connects an account at a server, which calls and other pages refer to. */
export function ConnectServerPage() {
  const { t } = useTranslation();
  const server = useServer();
  const connection = useQuery(connectionQuery(server));
  const { name, url } = connection.data?.upstream ?? {};
  return (
    <Page
      title={name ?? t('content.tools.oauth.page_title')}
      about={url === undefined ? undefined : <bdi dir="ltr">{url}</bdi>}
    >
      <Stack>
        <ServerConnection server={server} />
      </Stack>
    </Page>
  );
}

/** The server of the address; a space without an organization is the person's own. */
function useServer(): ConnectedServer {
  const { upstreamId: id = '' } = useParams({ strict: false });
  const { organization, team, own } = useSearch({ from: '/app/connect-server/$upstreamId' });
  if (organization === undefined) return { api: '/api/me', id };
  const api = `/api/organizations/${organization}`;
  if (team !== undefined) return { api: `${api}/teams/${team}`, id };
  return { api: own === true ? `${api}/me` : api, id };
}

/** Completes what an authorization server responded, and returns to where it began. */
export function ConnectedServerPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const fragment = useRouterState({ select: ({ location }) => location.hash });
  const completed = useQuery({
    queryKey: ['connect-server', fragment],
    queryFn: () => completeConnection(fragment),
    // The response is redeemed once.
    retry: false,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  const back = completed.data?.back;
  useEffect(() => {
    if (back === undefined) return;
    notifications.show({ message: t('content.tools.oauth.connected') });
    void navigate({ href: back, replace: true });
  }, [back, navigate, t]);
  return (
    <Page title={t('content.tools.oauth.page_title')}>
      <Stack align="start">
        {completed.isPending && (
          <>
            <Text role="status">{t('content.tools.oauth.completing')}</Text>
            <Loading height={80} />
          </>
        )}
        {completed.isError && <ErrorAlert error={completed.error} />}
        {completed.data === null && <Text>{t('content.tools.oauth.not_begun')}</Text>}
        {!completed.isPending && (
          <Button variant="default" renderRoot={(props) => <Link to="/app" {...props} />}>
            {t('content.tools.oauth.to_overview')}
          </Button>
        )}
      </Stack>
    </Page>
  );
}

import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../api/request.ts';
import { revokeConnection } from '../connections/connections.ts';
import { organizationsQuery } from '../organizations/organizations.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { ItemList } from './item-list.tsx';
import { Start } from './start.tsx';
import { tryConnection } from './try-connection.ts';
import type { TryConnection } from './try-connection.ts';

const route = getRouteApi('/app/try');

/** Calls tools, gets prompts and reads resources as the person, over MCP from the browser. */
export function TryPage() {
  const { t } = useTranslation();
  const { organization = null } = route.useSearch();
  const state = useSyncExternalStore(tryConnection.subscribe, tryConnection.current);
  const end = useEnd();
  const navigate = route.useNavigate();
  const placeId = state === null ? organization : state.connection.organization_id;
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const place = organizations.find(({ id }) => id === placeId);
  const live = state === null || state.isOver ? null : state.connection;
  return (
    <Page
      title={place === undefined ? t('try.title') : t('try.title_in', { name: place.name })}
      actions={
        live !== null && (
          <Group gap="sm">
            <EndsAt connection={live} />
            <Button variant="default" loading={end.isPending} onClick={() => end.mutate(live)}>
              {t('try.end')}
            </Button>
          </Group>
        )
      }
    >
      <Stack>
        <Text c="dimmed">{t('try.intro')}</Text>
        {end.isError && <ErrorAlert error={end.error} />}
        {state?.isOver === true && (
          <Alert role="status" color="yellow">
            {t('try.over')}
          </Alert>
        )}
        {live === null && (
          <Start
            organization={state?.connection.organization_id ?? organization}
            onChoose={(chosen) =>
              void navigate({
                search: ({ organization: _before, ...search }) =>
                  chosen === null ? search : { ...search, organization: chosen },
                replace: true,
              })
            }
          />
        )}
        {state !== null && <ItemList connection={state.connection} isOver={state.isOver} />}
      </Stack>
    </Page>
  );
}

/** Revokes a connection and forgets its token; one that was revoked elsewhere is only forgotten. */
function useEnd() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: TryConnection) =>
      revokeConnection(`/api/me/connections/${id}`).catch((error: unknown) => {
        if (!(error instanceof RequestError) || error.status !== 404) throw error;
      }),
    async onSuccess() {
      tryConnection.forget();
      await queries.invalidateQueries({ queryKey: ['connections'] });
    },
  });
}

/** Says when the only token expires, and stops calls at that time. */
function EndsAt({ connection }: { connection: TryConnection }) {
  const { t } = useTranslation();
  const { expires_at } = connection;
  useEffect(() => {
    const timer = setTimeout(() => tryConnection.over(connection), expires_at - Date.now());
    return () => clearTimeout(timer);
  }, [connection, expires_at]);
  return (
    <Text size="sm" c="dimmed">
      {t('try.ends')} <Moment at={new Date(expires_at).toISOString()} />
    </Text>
  );
}

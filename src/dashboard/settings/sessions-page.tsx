import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { SessionRecord } from '../../accounts/sessions/schema.ts';
import { readAll } from '../api/lists.ts';
import { request } from '../api/request.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { deviceName } from './device-name.ts';
import { Loading } from '../parts/loading.tsx';
import { MoreButton } from '../parts/more-button.tsx';

const sessionsQuery = infiniteQueryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal, pageParam }) =>
    request<{ data: SessionRecord[]; next_cursor: string | null }>(
      `/api/auth/sessions${pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`}`,
      { signal },
    ),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

const endSession = (id: string) => request<void>(`/api/auth/sessions/${id}`, { method: 'DELETE' });

/** Ends every session but this one. */
async function endOtherSessions(): Promise<number> {
  const all = await readAll<SessionRecord>('/api/auth/sessions', new AbortController().signal);
  const others = all.filter(({ current }) => !current);
  for (const { id } of others) await endSession(id);
  return others.length;
}

/** Where the account is signed in. */
export function SessionsPage() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const sessions = useInfiniteQuery(sessionsQuery);
  const all = sessions.data?.pages.flatMap(({ data }) => data) ?? [];
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: (count) => notifications.show({ message: t('sessions.ended_others', { count }) }),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <Page
      title={t('settings.sessions')}
      actions={
        all.length > 1 && (
          <Button
            color="red"
            variant="light"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate()}
          >
            {t('sessions.end_others')}
          </Button>
        )
      }
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {t('sessions.body')}
        </Text>
        {endOthers.isError && <ErrorAlert error={endOthers.error} />}
        {sessions.isError && (
          <ErrorAlert error={sessions.error} onRetry={() => void sessions.refetch()} />
        )}
        {sessions.isPending && <Loading height={160} />}
        {all.length > 0 && (
          <ul className="card list rows">
            {all.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
        <MoreButton list={sessions} />
      </Stack>
    </Page>
  );
}

function SessionRow({ session }: { session: SessionRecord }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, current, ip, user_agent, created_at, last_used_at } = session;
  const device = (user_agent && deviceName(user_agent)) ?? t('sessions.unknown');
  const end = useMutation({
    mutationFn: () => endSession(id),
    async onSuccess() {
      notifications.show({ message: t('sessions.ended') });
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  return (
    <li className="list-row">
      <Group justify="space-between" gap="sm">
        <div className="section-text">
          <Text fw={600} title={user_agent ?? undefined}>
            <bdi>{device}</bdi>{' '}
            {current && (
              <Badge size="sm" variant="light" color="teal">
                {t('sessions.current')}
              </Badge>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            {ip !== null && (
              <>
                <bdi>{ip}</bdi>
                {' · '}
              </>
            )}
            {t('sessions.started')} <Moment at={created_at} />
            {' · '}
            {t('security.used')} <Moment at={last_used_at} />
          </Text>
        </div>
        {!current && (
          <Button
            size="xs"
            color="red"
            variant="light"
            aria-label={t('sessions.end_one', { device })}
            loading={end.isPending}
            onClick={() => end.mutate()}
          >
            {t('sessions.end')}
          </Button>
        )}
      </Group>
      {end.isError && <ErrorAlert error={end.error} />}
    </li>
  );
}

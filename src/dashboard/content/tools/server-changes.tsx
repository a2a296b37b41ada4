import { Button, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type {
  Following,
  UpstreamChange,
  UpstreamChanges,
} from '../../../content/followed/schema.ts';
import type { UpstreamRecord } from '../../../content/upstreams/schema.ts';
import { Section } from '../section.tsx';
import { useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Warning } from '../../parts/warning.tsx';
import { ContentChanges } from './content-changes.tsx';
import { describedBy } from './described-by.ts';
import type { Described } from './described-by.ts';
import { OneChange } from './one-change.tsx';
import { approveChanges, changesQuery } from './whole-servers.ts';

/** What is new, changed or gone at a server since its tools were approved. */
export function ServerChanges({ server }: { server: UpstreamRecord }) {
  const { t } = useTranslation();
  const changes = useQuery(changesQuery(useSpace(), server.id));
  // A server of which nothing was added has no changes to show.
  if (changes.isPending || isIdle(changes.data)) return null;
  return (
    <Section title={t('content.tools.changes')} intro={t('content.tools.changes_hint')}>
      {changes.isError ? (
        <ErrorAlert error={changes.error} onRetry={() => void changes.refetch()} />
      ) : (
        <>
          <Checked following={changes.data.following} />
          <Waiting server={server} changes={changes.data.data} hasMore={hasContent(changes.data)} />
          <ContentChanges server={server} family="prompts" changes={changes.data.prompts} />
          <ContentChanges server={server} family="resources" changes={changes.data.resources} />
        </>
      )}
    </Section>
  );
}

const hasContent = ({ prompts, resources }: UpstreamChanges) =>
  prompts.length + resources.length > 0;

const isIdle = (changes: UpstreamChanges | undefined) =>
  changes?.following === null && changes.data.length === 0 && !hasContent(changes);

function Checked({ following }: { following: Following | null }) {
  const { t } = useTranslation();
  if (following === null) return <Text size="sm">{t('content.tools.not_followed')}</Text>;
  return (
    <Stack gap="xs">
      {following.failure !== null && (
        <Warning title={t('content.tools.check_failed')}>{following.failure}</Warning>
      )}
      {following.checked_at !== null && (
        <Text size="sm">
          {t('content.tools.checked')} <Moment at={following.checked_at} />
        </Text>
      )}
    </Stack>
  );
}

function Waiting({
  server,
  changes,
  hasMore,
}: {
  server: UpstreamRecord;
  changes: readonly UpstreamChange[];
  /** Whether something else waits. */
  hasMore: boolean;
}) {
  const { t } = useTranslation();
  const space = useSpace();
  const queries = useQueryClient();
  const approvable = changes.filter(({ change }) => change !== 'removed');
  const approve = useMutation({
    mutationFn: (chosen: readonly UpstreamChange[]) =>
      approveChanges(space, server.id, {
        // What is approved is what was shown.
        tools: chosen.flatMap(({ tool, found }) =>
          found === null ? [] : { tool, pin: found.pin },
        ),
      }),
    async onSuccess({ created, updated }) {
      const number = created.length + updated.length;
      notifications.show({ message: t('content.tools.changes_approved', { number }) });
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
  });
  if (changes.length === 0 && hasMore) return null;
  if (changes.length === 0)
    return <Text className="card empty">{t('content.tools.no_changes')}</Text>;
  return (
    <Stack gap="md">
      {hasMore && (
        <Title order={3} size="sm">
          {t('frame.tools')}
        </Title>
      )}
      {approve.isError && <ErrorAlert error={approve.error} />}
      {approve.data?.skipped.map(({ tool, message }) => (
        <Warning key={tool} role="status">
          <bdi>{tool}</bdi>: {message}
        </Warning>
      ))}
      {approvable.length > 1 && (
        <Button
          className="add-row"
          loading={approve.isPending}
          onClick={() => approve.mutate(approvable)}
        >
          {t('content.tools.approve_all', { number: approvable.length })}
        </Button>
      )}
      <ul className="card list steps">
        {changes.map((change) => (
          <li key={`${change.tool} ${change.custom_tool_id}`} className="list-row">
            <OneChange
              change={change.change}
              family="tools"
              name={change.name}
              item_id={change.custom_tool_id}
              sides={sidesOf(change)}
              removedHint={t('content.tools.removed_hint')}
              addLabel={t('content.tools.approve_new')}
              isPending={approve.isPending}
              onApprove={() => approve.mutate([change])}
            />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

/** What a new tool is compared with. */
const NOTHING: Described = {
  ...{ title: null, description: '', input_schema: {}, output_schema: null },
  annotations: { openWorldHint: false, destructiveHint: false },
};

const sidesOf = ({ approved, found }: UpstreamChange) =>
  found === null ? null : { left: describedBy(approved ?? NOTHING), right: describedBy(found) };

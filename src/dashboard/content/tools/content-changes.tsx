import { Stack, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { UpstreamChanges } from '../../../content/followed/schema.ts';
import type { UpstreamRecord } from '../../../content/upstreams/schema.ts';
import { useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Warning } from '../../parts/warning.tsx';
import { OneChange } from './one-change.tsx';
import { approveChanges } from './whole-servers.ts';

type Family = 'prompts' | 'resources';
type Change = UpstreamChanges[Family][number];

/** The prompts or resources of a server that wait for approval, or that it no longer lists. */
export function ContentChanges({
  server,
  family,
  changes,
}: {
  server: UpstreamRecord;
  family: Family;
  changes: readonly Change[];
}) {
  const { t } = useTranslation();
  const space = useSpace();
  const queries = useQueryClient();
  const approve = useMutation({
    // What is approved is what was shown.
    mutationFn: ({ source, found }: Change) =>
      approveChanges(space, server.id, {
        [family]: [{ source, ...(found === null ? {} : { pin: found.pin }) }],
      }),
    async onSuccess({ [family]: { created, updated } }) {
      const number = created.length + updated.length;
      notifications.show({ message: t('content.tools.changes_approved', { number }) });
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
  });
  if (changes.length === 0) return null;
  return (
    <Stack gap="md">
      <Title order={3} size="sm">
        {t(`frame.${family}`)}
      </Title>
      {approve.isError && <ErrorAlert error={approve.error} />}
      {approve.data?.[family].skipped.map(({ source, message }) => (
        <Warning key={source} role="status">
          <bdi>{source}</bdi>: {message}
        </Warning>
      ))}
      <ul className="card list steps">
        {changes.map((change) => (
          <li key={`${change.source} ${change.item_id}`} className="list-row">
            <OneChange
              change={change.change}
              family={family}
              name={change.name}
              item_id={change.item_id}
              sides={sidesOf(change)}
              removedHint={t('content.tools.removed_content_hint')}
              addLabel={t('content.tools.add_content')}
              isPending={approve.isPending}
              onApprove={() => approve.mutate(change)}
            />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

const sidesOf = ({ approved, found }: Change) =>
  found === null ? null : { left: describedBy(approved, found), right: describedBy(found, found) };

const DESCRIBED = ['title', 'description', 'arguments', 'mime_type'];

/** Returns what agents read of a prompt or resource before they use it; nothing of a new one. */
function describedBy(described: Change['approved'], found: NonNullable<Change['found']>) {
  const values = new Map<string, unknown>(Object.entries(described ?? {}));
  const fields = DESCRIBED.filter((field) => Object.hasOwn(found, field));
  return Object.fromEntries(fields.map((field) => [field, values.get(field) ?? '']));
}

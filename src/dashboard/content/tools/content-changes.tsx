import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { UpstreamChanges } from '../../../content/followed/schema.ts';
import type { UpstreamRecord } from '../../../content/upstreams/schema.ts';
import { Differences } from '../differences.tsx';
import { addressOf, useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Warning } from '../../parts/warning.tsx';
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
              {...{ family, change }}
              isPending={approve.isPending}
              onApprove={() => approve.mutate(change)}
            />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function OneChange({
  family,
  change: { change, name, item_id, approved, found },
  isPending,
  onApprove,
}: {
  family: Family;
  change: Change;
  isPending: boolean;
  onApprove(): void;
}) {
  const { t } = useTranslation();
  const space = useSpace();
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Badge size="sm" variant="light" tt="none">
          {t(`content.tools.change_${change}`)}
        </Badge>
        {item_id === null ? (
          <Text fw={600}>
            <bdi>{name}</bdi>
          </Text>
        ) : (
          <Link to={addressOf(space, family, item_id)} className="text-link">
            <bdi>{name}</bdi>
          </Link>
        )}
      </Group>
      {change === 'removed' && <Text size="sm">{t('content.tools.removed_content_hint')}</Text>}
      {change !== 'removed' && found !== null && (
        <>
          <Differences
            left={describedBy(approved, found)}
            right={describedBy(found, found)}
            leftTitle={t('content.tools.approved_description')}
            rightTitle={t('content.tools.found_description')}
          />
          <Button size="xs" className="add-row" loading={isPending} onClick={onApprove}>
            {t(change === 'new' ? 'content.tools.add_content' : 'content.tools.approve')}
          </Button>
        </>
      )}
    </Stack>
  );
}

const DESCRIBED = ['title', 'description', 'arguments', 'mime_type'];

/** Returns what agents read of a prompt or resource before they use it; nothing of a new one. */
function describedBy(described: Change['approved'], found: NonNullable<Change['found']>) {
  const values = new Map<string, unknown>(Object.entries(described ?? {}));
  const fields = DESCRIBED.filter((field) => Object.hasOwn(found, field));
  return Object.fromEntries(fields.map((field) => [field, values.get(field) ?? '']));
}

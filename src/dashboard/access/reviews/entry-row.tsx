import { Badge, Button, Group, Text, TextInput } from '@mantine/core';
import type { InfiniteData } from '@tanstack/react-query';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FAMILIES } from '../../keys/item-lists.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Moment } from '../../parts/moment.tsx';
import { listOf } from '../../texts/texts.ts';
import classes from '../access.module.css';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { subjectName } from '../subjects/subjects.ts';
import { decide, DECISIONS, reviewQuery, reviewsPath } from './reviews.ts';
import type { Review, ReviewDecision, ReviewEntry } from './reviews.ts';

const MAX_COMMENT = 1_000;

/** One subject of a review: what it has, what is unusual about that, and what shall become of it. */
export function EntryRow({ entry, review }: { entry: ReviewEntry; review: Review }) {
  const { t } = useTranslation();
  const { subject, permissions, team_permissions, reach, flags } = entry;
  const count = team_permissions.reduce((sum, one) => sum + one.permissions.length, 0);
  const items = FAMILIES.filter((family) => reach[family] > 0).map((family) =>
    t(`preview.${family}`, { count: reach[family] }),
  );
  return (
    <li className={`list-row ${classes.entry}`}>
      <div>
        <Group gap="xs">
          <Text fw={600}>
            <SubjectLink subject={subject} />
          </Text>
          <Badge size="sm" variant="default">
            {t(`access.kind_${subject.kind}`)}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {subject.kind !== 'member' && subject.owner !== null && (
            <>
              <bdi>{subject.owner.email ?? t('org_keys.former_member')}</bdi>
              {' · '}
            </>
          )}
          {listOf([
            t('key_form.permissions_count', { count: permissions.length + count }),
            ...items,
          ])}
          {subject.kind !== 'member' && (
            <>
              {' · '}
              {subject.last_used_at === null ? (
                t('keys.never_used')
              ) : (
                <>
                  {t('key.last_used')} <Moment at={subject.last_used_at} />
                </>
              )}
            </>
          )}
        </Text>
        {flags.length > 0 && (
          <Group gap={4} mt={4}>
            {flags.map((flag) => (
              <Badge key={flag} size="sm" variant="light" color="yellow">
                {t(`access.flag_${flag}`)}
              </Badge>
            ))}
          </Group>
        )}
      </div>
      <Decision entry={entry} review={review} />
    </li>
  );
}

/** Keep, reduce or revoke, with a comment; the pressed button withdraws its decision. */
function Decision({ entry, review }: { entry: ReviewEntry; review: Review }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const [comment, setComment] = useState(entry.comment ?? '');
  const name = subjectName(entry.subject);
  const save = useMutation({
    // A comment is saved when its field is left, also by a click on a button, which saves after it.
    scope: { id: `entry ${entry.id}` },
    mutationFn: (decision: ReviewDecision | null) =>
      decide(reviewsPath(id, `/${review.id}`), entry.id, {
        decision,
        comment: comment.trim() === '' ? null : comment.trim(),
      }),
    async onSuccess(saved) {
      queries.setQueriesData<InfiniteData<{ data: ReviewEntry[] }>>(
        { queryKey: ['review', id, review.id, 'entries'] },
        (list) =>
          list && {
            ...list,
            pages: list.pages.map((page) => ({
              ...page,
              data: page.data.map((one) => (one.id === saved.id ? saved : one)),
            })),
          },
      );
      await queries.invalidateQueries({
        queryKey: reviewQuery(id, review.id).queryKey,
        exact: true,
      });
    },
  });
  if (review.status === 'closed')
    return (
      <div className={classes.end}>
        <Text size="sm">
          {t(entry.decision === null ? 'access.undecided' : `access.${entry.decision}`)}
        </Text>
        {entry.comment !== null && (
          <Text size="sm" c="dimmed">
            <bdi>{entry.comment}</bdi>
          </Text>
        )}
      </div>
    );
  return (
    <div className={classes.decide}>
      <Group gap={4} role="group" aria-label={t('access.decision_of', { name })}>
        {DECISIONS.map((one) => {
          const isChosen = entry.decision === one;
          return (
            <Button
              key={one}
              size="compact-sm"
              variant={isChosen ? 'filled' : 'default'}
              aria-pressed={isChosen}
              onClick={() => save.mutate(isChosen ? null : one)}
            >
              {t(`access.${one}`)}
            </Button>
          );
        })}
      </Group>
      <TextInput
        size="xs"
        aria-label={t('access.comment_of', { name })}
        placeholder={t('access.comment')}
        maxLength={MAX_COMMENT}
        value={comment}
        onChange={({ currentTarget }) => setComment(currentTarget.value)}
        onBlur={() => {
          if (comment.trim() !== (entry.comment ?? '')) save.mutate(entry.decision);
        }}
      />
      {entry.decided_by !== null && entry.decision !== null && (
        <Text size="xs" c="dimmed">
          <bdi>{entry.decided_by.email ?? t('org_keys.former_member')}</bdi>
        </Text>
      )}
      {save.isError && <ErrorAlert error={save.error} />}
    </div>
  );
}

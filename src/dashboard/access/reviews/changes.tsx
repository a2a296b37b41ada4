import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AppliedDecision } from '../../../explorer/reviews/applying/schema.ts';
import { FixLink } from '../../keys/fix-link.tsx';
import { permissionWords } from '../../organizations/parts/permission-words.ts';
import { listOf } from '../../texts/texts.ts';
import type { Translate } from '../../texts/texts.ts';
import { subjectName } from '../subjects/subjects.ts';

/** In the order in which they are shown: what needs a person is first. */
const OUTCOMES = ['refused', 'by_hand', 'planned', 'applied', 'unchanged'] as const;
const COLORS = {
  ...{ planned: 'accent', applied: 'teal', unchanged: 'gray', refused: 'red', by_hand: 'yellow' },
} as const;

/** What becomes, or became, of each decision. */
export function Changes({ changes }: { changes: readonly AppliedDecision[] }) {
  const { t } = useTranslation();
  const sorted = OUTCOMES.flatMap((one) => changes.filter(({ outcome }) => outcome === one));
  return (
    <ul className="card list steps" aria-label={t('apply.changes')}>
      {sorted.map((change) => (
        <li key={change.entry_id} className="list-row">
          <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
            <div>
              <Text fw={600} size="sm">
                <bdi>{subjectName(change.subject)}</bdi>{' '}
                <Text span size="xs" c="dimmed" fw={400}>
                  {t(`access.kind_${change.subject.kind}`)}
                </Text>
              </Text>
              <Text size="sm" c="dimmed">
                {whatOf(change, t)}
              </Text>
              <FixLink url={change.page} />
            </div>
            <Badge variant="light" color={COLORS[change.outcome]} flex="none">
              {t(`apply.${change.outcome}`)}
            </Badge>
          </Group>
        </li>
      ))}
    </ul>
  );
}

/** Returns what a change does, or why it is not made. */
function whatOf({ outcome, reason, error, ...change }: AppliedDecision, t: Translate): string {
  if (outcome === 'unchanged') return t('apply.gone');
  if (reason !== null) return t(`apply.reason_${reason}`);
  if (error === null) return doneBy(change, t);
  const { permission } = (error.detail ?? {}) as { permission?: string };
  return permission === undefined
    ? error.message
    : t('apply.needs', { permission: listOf(permissionWords([permission], t)) });
}

function doneBy(
  { subject: { kind }, removed }: Pick<AppliedDecision, 'subject' | 'removed'>,
  t: Translate,
): string {
  if (removed !== null) return t('apply.loses', { names: lossesOf(removed, t) });
  if (kind === 'member') return t('apply.removes_member');
  return t(kind === 'key' ? 'apply.cuts_key' : 'apply.revokes');
}

/** Returns in words what is taken away. */
export const lossesOf = (
  { permissions, capabilities }: NonNullable<AppliedDecision['removed']>,
  t: Translate,
): string =>
  listOf([
    ...permissionWords(permissions, t),
    ...capabilities.map((one) => t('access.tuple.declared', { kind: t(`capability.${one}`) })),
  ]);

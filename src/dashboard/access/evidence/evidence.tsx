import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Evidence } from '../../../explorer/schema.ts';
import { Moment } from '../../parts/moment.tsx';
import { shortId } from '../../parts/short-id.ts';
import type { Translate } from '../../texts/texts.ts';
import classes from '../access.module.css';
import { tupleWords } from './tuple-words.ts';
import type { TupleNames } from './tuple-words.ts';

/** Tuples in words and as they are, with who wrote each, and when. */
export function Chain({
  tuples,
  names,
  isMissing = false,
}: {
  tuples: readonly Evidence[];
  names: TupleNames;
  /** Whether these would be needed and do not exist, so that nobody wrote them. */
  isMissing?: boolean;
}) {
  const { t } = useTranslation();
  return (
    <ul className={classes.chain}>
      {tuples.map((tuple, index) => (
        <li key={index}>
          <TupleText tuple={tuple} names={names} isMissing={isMissing} />
          <Text size="xs" c="dimmed" ff="monospace" dir="ltr" className={classes.tuple}>
            {tuple.subject} {tuple.relation} {tuple.object}
          </Text>
          {!isMissing && tuple.granted_by === null && (
            <Text size="xs" c="dimmed">
              {t('access.defined')}
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}

function TupleText({
  tuple,
  names,
  isMissing,
}: {
  tuple: Evidence;
  names: TupleNames;
  isMissing: boolean;
}) {
  const { t } = useTranslation();
  const words = tupleWords(tuple, names, t);
  if (words === null && (isMissing || tuple.granted_by === null)) return null;
  return (
    <Text size="sm">
      {words !== null && <bdi>{words}</bdi>}
      {!isMissing && <Granted tuple={tuple} />}
    </Text>
  );
}

/** Who wrote a tuple, and when; nothing if the service defines it. */
function Granted({ tuple: { granted_by, granted_at } }: { tuple: Evidence }) {
  const { t } = useTranslation();
  if (granted_by === null) return null;
  return (
    <Text span size="sm" c="dimmed">
      {' · '}
      <bdi>{t('access.granted_by', { who: actorOf(granted_by, t) })}</bdi>
      {granted_at !== null && (
        <>
          {' · '}
          <Moment at={granted_at} />
        </>
      )}
    </Text>
  );
}

/** The link of a chain that says most: a role that a person gave, else the latest grant. */
export function mainLink(chain: readonly Evidence[]): Evidence | undefined {
  const granted = chain.filter(({ granted_by }) => granted_by !== null);
  return granted.findLast(({ relation }) => relation === 'role') ?? granted.at(-1) ?? chain.at(-1);
}

/** One link of a chain, in a line. */
export const MainLink = ({ tuple, names }: { tuple: Evidence; names: TupleNames }) => (
  <TupleText tuple={tuple} names={names} isMissing={false} />
);

function actorOf({ kind, id, email }: NonNullable<Evidence['granted_by']>, t: Translate): string {
  if (email !== null) return email;
  if (kind === 'user' && id !== null) return shortId(id);
  const known = ACTORS.find((one) => one === kind);
  return known === undefined ? kind : t(`audit.actor.${known}`);
}

const ACTORS = ['api_key', 'org_key', 'connection', 'machine', 'scim_token', 'system'] as const;

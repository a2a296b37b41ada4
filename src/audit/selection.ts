import { z } from 'zod';
import { actions } from '../caller/actions.ts';
import { sql } from '../platform/postgres/database.ts';
import { Outcome } from './schema.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** Identifies the audit log of an account or of an organization. */
export type History = { account_id: string } | { organization_id: string };

export interface EventFilter {
  /** Prefix of the action. */
  action?: string | undefined;
  outcome?: string | undefined;
  /** Id of an object that the action was performed on. */
  target?: string | undefined;
  actor?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Where an event is in its history. The event itself may have been deleted since. */
export interface EventPosition {
  /** With the precision of the database. */
  at: string;
  id: string;
}

/** Selects the position of an event, as `parsePosition` reads it. */
export const positionColumn = sql.fragment`json_build_array(at, id)::text AS position`;

const PositionJson = z.tuple([z.iso.datetime({ offset: true, local: true }), z.uuid()]);

/** Returns null for a text that is not a position. */
export function parsePosition(text: string): EventPosition | null {
  try {
    const [at, id] = PositionJson.parse(JSON.parse(text));
    return { at, id };
  } catch {
    return null;
  }
}

/** Which of the selected events are read, and what of them. */
interface Reading {
  columns: Fragment;
  /** Only older events. */
  after: EventPosition | null;
  /** Newest first; else in no order. */
  isSorted: boolean;
  limit: number;
}

/**
 * Returns a statement that selects events by an index: walking through a history of millions for a rare
 * event would time out. Events of several actions are read from each action and outcome in order, and
 * merged. With other conditions in addition to a target, actor or action, one of their indexes is read
 * and filtered.
 */
export function selectEvents(
  history: History,
  { action, outcome, ...filter }: EventFilter,
  { columns, after, isSorted, limit }: Reading,
): Fragment {
  const { from, where, at, id } = eventsOf(history, filter.target);
  const conditions = [where, ...conditionsOf(filter, { at, id }, after)];
  const orderBy = (time: Fragment, key: Fragment) =>
    isSorted ? sql.fragment`ORDER BY ${time} DESC, ${key} DESC` : sql.fragment``;
  const select = (more: readonly Fragment[]) => sql.fragment`
    SELECT ${columns} FROM ${from}
    WHERE ${sql.join([...conditions, ...more], sql.fragment` AND `)}
    ${orderBy(at, id)} LIMIT ${limit}`;
  const names = action === undefined ? null : sql.array(namesOf(action), 'text');
  if (names === null || filter.target !== undefined)
    return select([
      ...(names === null ? [] : [sql.fragment`e.action = ANY(${names})`]),
      ...(outcome === undefined ? [] : [sql.fragment`e.outcome = ${outcome}`]),
    ]);
  const outcomes = sql.array(outcome === undefined ? Outcome.options : [outcome], 'text');
  const ofOne = sql.fragment`e.action = named.action AND e.outcome = named.outcome`;
  return sql.fragment`
    SELECT e.* FROM (SELECT * FROM unnest(${names}) AS action, unnest(${outcomes}) AS outcome) AS named
    CROSS JOIN LATERAL (${select([ofOne])}) AS e
    ${orderBy(sql.fragment`e.at`, sql.fragment`e.id`)} LIMIT ${limit}`;
}

/** Returns the actions that begin with a prefix, and the prefix: a later release may know it. */
const namesOf = (prefix: string): string[] => [
  ...new Set([prefix, ...Object.keys(actions).filter((name) => name.startsWith(prefix))]),
];

/** Selects the events of a history. */
export const isIn = (history: History): Fragment =>
  'account_id' in history
    ? sql.fragment`e.scope_kind = 'account' AND e.scope_id = ${history.account_id}`
    : sql.fragment`e.organization_id = ${history.organization_id}`;

/** Selects the events of a history; those about one object are found by an index of their own. */
const eventsOf = (history: History, target: string | undefined) => {
  if (target === undefined)
    return {
      from: sql.fragment`audit_event e`,
      where: isIn(history),
      ...{ at: sql.fragment`e.at`, id: sql.fragment`e.id` },
    };
  const owner =
    'account_id' in history
      ? sql.fragment`t.of_account = ${history.account_id}`
      : sql.fragment`t.of_organization = ${history.organization_id}`;
  return {
    // OFFSET keeps the planner from reading the events of everyone for a frequent target.
    from: sql.fragment`audit_target t CROSS JOIN LATERAL (
      SELECT * FROM audit_event WHERE id = t.event_id OFFSET 0) AS e`,
    where: sql.fragment`${owner} AND t.target_id = ${target.toLowerCase()}`,
    ...{ at: sql.fragment`t.at`, id: sql.fragment`t.event_id` },
  };
};

/** Selects by the actor and the time. */
const conditionsOf = (
  { actor, from, to }: EventFilter,
  { at, id }: { at: Fragment; id: Fragment },
  after: EventPosition | null,
): Fragment[] => [
  ...(actor === undefined ? [] : [sql.fragment`e.actor_id = ${actor}`]),
  ...(from === undefined ? [] : [sql.fragment`${at} >= ${from}::timestamptz`]),
  ...(to === undefined ? [] : [sql.fragment`${at} < ${to}::timestamptz`]),
  ...(after === null
    ? []
    : [sql.fragment`(${at}, ${id}) < (${after.at}::timestamptz, ${after.id}::uuid)`]),
];

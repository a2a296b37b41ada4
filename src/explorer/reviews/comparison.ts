import { isSession } from '../../caller/principal.ts';
import type { Organizations } from '../../organizations/organizations.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Asked } from '../dependencies.ts';
import { entriesOfHeld, keyOf } from '../diff/entries.ts';
import type { AccessDiff, Difference } from '../schema.ts';
import { listCompared, readParts } from './entries-store.ts';
import type { ComparedRow, HeldPart, ItemsPart } from './entries-store.ts';
import { nameOf } from './revisions.ts';
import { findReview } from './store.ts';

interface ComparisonDependencies {
  database: Pick<Database, 'pool'>;
  organizations: Pick<Organizations, 'teams'>;
}

/** One review, by subject. */
interface Compared {
  rows: ReadonlyMap<string, ComparedRow>;
  parts: ReadonlyMap<number, HeldPart | ItemsPart>;
}

/** Returns whether the viewer may know of an item of a subject, by its space. */
type IsKnown = (row: ComparedRow, space_id: string | null) => boolean;

/**
 * Creates the comparison of two reviews, subject by subject. Items of members' own spaces are not
 * compared: only their numbers are known.
 */
export function createReviewComparison({
  database: { pool },
  organizations,
}: ComparisonDependencies) {
  async function read(organization_id: string, review_id: string): Promise<Compared> {
    const params = { organization_id, review_id };
    const review = await findReview(pool, params);
    if (review === null || review.status === 'running') throw absent('no such review');
    const rows = await listCompared(pool, params);
    return {
      rows: new Map(rows.map((row) => [nameOf({ kind: row.kind, id: row.subject_id }), row])),
      parts: await readParts(pool, params),
    };
  }

  /** Only those in a team know of its items, except those that their own credentials reach. */
  async function knownTo({ caller, organization_id }: Asked): Promise<IsKnown> {
    const inside = await organizations.teams.idsInside(caller, organization_id);
    return (row, space_id) =>
      space_id === null ||
      space_id === organization_id ||
      inside.has(space_id) ||
      (isSession(caller) && row.account_id === caller.person);
  }

  return async function compare(
    asked: Asked,
    left: string,
    right: string,
  ): Promise<Pick<AccessDiff, 'only_left' | 'only_right' | 'both'>> {
    const { organization_id } = asked;
    const [one, other] = [await read(organization_id, left), await read(organization_id, right)];
    const isKnown = await knownTo(asked);
    const found: Pick<AccessDiff, 'only_left' | 'only_right' | 'both'> = {
      ...{ only_left: [], only_right: [], both: 0 },
    };
    for (const name of new Set(one.rows.keys()).union(new Set(other.rows.keys()))) {
      const before = entriesOf(one, name, isKnown);
      const after = entriesOf(other, name, isKnown);
      found.only_left.push(...without(before, after));
      found.only_right.push(...without(after, before));
      found.both += before.size - [...before.keys()].filter((key) => !after.has(key)).length;
    }
    return found;
  };
}

/** Returns what a subject had, by what each is about. */
function entriesOf(
  { rows, parts }: Compared,
  name: string,
  isKnown: IsKnown,
): ReadonlyMap<string, Difference> {
  const row = rows.get(name);
  if (row === undefined) return new Map();
  const { permissions, team_permissions, capabilities } = parts.get(row.held_part) as HeldPart;
  const items = (parts.get(row.items_part) as ItemsPart)
    .filter(([, , , space_id]) => isKnown(row, space_id))
    .map(([family, id, label]) => ({ family, id, name: label }));
  const subject = { kind: row.kind, id: row.subject_id, name: row.name };
  return new Map(
    entriesOfHeld({ permissions, team_permissions, capabilities, items }).map((entry) => [
      keyOf(entry),
      { ...entry, subject },
    ]),
  );
}

const without = (
  entries: ReadonlyMap<string, Difference>,
  others: ReadonlyMap<string, Difference>,
): Difference[] => [...entries].flatMap(([key, entry]) => (others.has(key) ? [] : entry));

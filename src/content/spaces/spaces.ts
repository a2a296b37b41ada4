import { createBatchedRead } from '../../platform/concurrency/grouped.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import type { StoredItem } from '../items/items.ts';
import { listSummaries } from '../items/store.ts';
import { listQuarantined } from '../pins/store.ts';
import { readSelections } from '../selection/store.ts';

export { personalSpaceOf, scopeOf, spaceIn } from './space.ts';
export { prefixOf, qualifiedName } from './prefix.ts';
export type { Prefix } from './prefix.ts';
export type { Space } from './space.ts';
export {
  deleteSpacesOf,
  deleteTeamSpace,
  insertMemberSpace,
  insertOrganizationSpace,
  insertPersonalSpace,
  insertTeamSpace,
} from './store.ts';

/** Everything an agent could get from one space, before the credential is considered. */
export interface SpaceContents {
  /** Ids of the selected built-in tools and platform prompts (S8, P6). */
  selected_tools: ReadonlySet<string>;
  selected_prompts: ReadonlySet<string>;
  /** User-defined items of all families. */
  items: readonly StoredItem[];
  /** Ids of the quarantined ones among `items`. */
  quarantined: ReadonlySet<string>;
}

// A key that follows all teams of an organization reads 200 spaces at once.
const READS = { inFlight: 4, batch: 64, maxWaiting: 10_000 };

/**
 * Returns a function that reads the contents of a space; spaces that are read at once, such as
 * those of a credential's teams, share their queries.
 */
export function createContentsReader({ database }: { database: Pick<Database, 'pool'> }) {
  const read = createBatchedRead({ ...READS, read: (ids) => readSpaces(database.pool, ids) });
  return async (space_id: string): Promise<SpaceContents> => (await read(space_id))!;
}

async function readSpaces(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SpaceContents>> {
  const [selections, summaries, quarantinedRows] = await Promise.all([
    readSelections(db, ids),
    listSummaries(db, ids),
    listQuarantined(db, ids),
  ]);
  const items = Map.groupBy(summaries, ({ space_id }) => space_id);
  const quarantinedBySpace = Map.groupBy(quarantinedRows, ({ space_id }) => space_id);
  const contentsOf = (id: string): SpaceContents => {
    const { tools, platform_prompts } = selections.get(id)!;
    return {
      ...{ selected_tools: tools, selected_prompts: platform_prompts },
      items: items.get(id) ?? [],
      quarantined: new Set(quarantinedBySpace.get(id)?.map(({ item_id }) => item_id)),
    };
  };
  return new Map(ids.map((id) => [id, contentsOf(id)]));
}

import type { Connection, Database } from '../../platform/postgres/database.ts';
import type { StoredItem } from '../items/items.ts';
import { listSummaries } from '../items/store.ts';
import type { Pins } from '../pins/pins.ts';
import type { Selection } from '../selection/selection.ts';

export { personalSpaceOf, scopeOf } from './space.ts';
export type { Space } from './space.ts';
export { deleteSpacesOf, insertOrganizationSpace, insertPersonalSpace } from './store.ts';

/** Everything an agent could get from one space, before the credential is considered. */
export interface SpaceContents {
  /** Ids of the selected built-in tools and platform prompts (S8, P6). */
  selected_tools: ReadonlySet<string>;
  selected_prompts: ReadonlySet<string>;
  /** User-defined items of all families. */
  items: readonly StoredItem[];
  /** Ids of the quarantined tools among them. */
  held: ReadonlySet<string>;
}

export interface SpacesDependencies {
  database: Pick<Database, 'pool'>;
  selected: Selection['selected'];
  held: Pins['held'];
}

export function createContentsReader({ database, ...rest }: SpacesDependencies) {
  const pool: Connection = database.pool;
  return async function readContents(space_id: string): Promise<SpaceContents> {
    const [{ tools, platform_prompts }, items, held] = await Promise.all([
      rest.selected(space_id),
      listSummaries(pool, space_id),
      rest.held(pool, space_id),
    ]);
    const chosen = { selected_tools: tools, selected_prompts: platform_prompts };
    return { ...chosen, items, held: new Set(held.keys()) };
  };
}

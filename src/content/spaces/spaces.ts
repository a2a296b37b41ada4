import type { Connection, Database } from '../../platform/database.ts';
import type { Pins } from '../pins/pins.ts';
import type { Selection } from '../selection/selection.ts';
import type { StoredItem } from '../items/items.ts';
import { listHeads } from '../items/store.ts';

/** What an account's agents could get, as rows say it, before any credential is asked about. */
export interface Space {
  /** Ids of the built-in tools and platform prompts that are selected (S8, P6). */
  selected_tools: ReadonlySet<string>;
  selected_prompts: ReadonlySet<string>;
  /** What its people wrote, all families. */
  items: readonly StoredItem[];
  /** Ids of the tools among it that wait for their approval. */
  held: ReadonlySet<string>;
}

export interface SpacesDependencies {
  database: Pick<Database, 'pool'>;
  selected: Selection['selected'];
  held: Pins['held'];
}

export function createSpaceReader({ database, ...rest }: SpacesDependencies) {
  const pool: Connection = database.pool;
  return async function readSpace(account_id: string): Promise<Space> {
    const [{ tools, platform_prompts }, items, held] = await Promise.all([
      rest.selected(account_id),
      listHeads(pool, account_id),
      rest.held(pool, account_id),
    ]);
    const chosen = { selected_tools: tools, selected_prompts: platform_prompts };
    return { ...chosen, items, held: new Set(held.keys()) };
  };
}

import type { Connection, Database } from '../../platform/database.ts';
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
}

export interface SpacesDependencies {
  database: Pick<Database, 'pool'>;
  selected: Selection['selected'];
}

export function createSpaceReader({ database: { pool }, selected }: SpacesDependencies) {
  return async function readSpace(account_id: string): Promise<Space> {
    const [{ tools, platform_prompts }, items] = await Promise.all([
      selected(account_id),
      listHeads(pool as Connection, account_id),
    ]);
    return { selected_tools: tools, selected_prompts: platform_prompts, items };
  };
}

import type { Authz } from '../../authz/authz.ts';
import { systemAuthority } from '../../caller/actor.ts';
import type { Queryable, Database, Transaction } from '../../platform/postgres/database.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Family } from '../items/schema.ts';
import { scopeOf } from '../spaces/space.ts';
import { findSpace } from '../spaces/store.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import { createContentPins } from './content-pins.ts';
import {
  movePin,
  findPin,
  quarantinePin,
  listChanged,
  listQuarantined,
  listPins,
  listUsers,
  markMissing,
  releasePin,
  savePin,
} from './store.ts';
import type { PinRow, NewPin } from './store.ts';

export interface PinsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
}

/** The items that use an upstream, by family; a family of which there are none is missing. */
export type UpstreamUsers = Partial<Record<(typeof listOf)[Family], string[]>>;

const listOf = {
  tool: 'custom_tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const satisfies Record<Family, string>;

export type Pins = ReturnType<typeof createPins>;

/**
 * Manages the pins of custom tools of kind `mcp`. Agents see only approved descriptions: if the
 * upstream changes a tool's description, the tool is quarantined, and unavailable until the change
 * is approved (B8-8).
 */
export function createPins({ database, authz }: PinsDependencies) {
  return {
    find: (space_id: string, item_id: string): Promise<PinRow | null> =>
      findPin(database.pool, { space_id, item_id }),

    /** Returns when each quarantined item of a space was quarantined; items may be of any family. */
    async quarantinedItems(db: Queryable, space_id: string): Promise<ReadonlyMap<string, string>> {
      const rows = await listQuarantined(db, [space_id]);
      return new Map(rows.map(({ item_id, held_at }) => [item_id, held_at]));
    },

    /** Saves the pin in the transaction that saves the tool. Throws if its upstream was deleted. */
    async save(transaction: Transaction, pinned: NewPin): Promise<void> {
      if (!(await savePin(transaction, pinned))) throw absent('the tool’s upstream was removed');
    },

    release: releasePin,
    move: movePin,

    /** Quarantines a tool until its new description is approved. */
    quarantine: quarantinePin,

    /** Returns the pins of the custom tools that use an upstream; all, or those with a change. */
    rowsOf: listPins,
    changesOf: listChanged,

    /** Returns the ids of the items that use an upstream, by family. */
    async usersOf(db: Queryable, upstream_id: string): Promise<UpstreamUsers> {
      const users: UpstreamUsers = {};
      for (const { item_id, family } of await listUsers(db, upstream_id))
        (users[listOf[family]] ??= []).push(item_id);
      return users;
    },

    /** The pins of prompts and resources. */
    content: createContentPins({ database, authz }),

    /**
     * Quarantines tools whose description changed. Tools missing from the upstream are only marked:
     * agents still see them, and calls fail.
     */
    async compare(
      { id, space_id }: { id: string; space_id: string },
      tools: readonly UpstreamTool[],
    ): Promise<void> {
      const currentTools = new Map(tools.map((tool) => [tool.name, tool]));
      const pinned = await listPins(database.pool, id);
      const isMarkedWrongly = pinned.some(
        ({ tool, missing_at }) => currentTools.has(tool) === (missing_at !== null),
      );
      if (isMarkedWrongly) await markMissing(database.pool, id, [...currentTools.keys()]);
      const changes = pinned.flatMap(({ item_id, ...row }) => {
        const found = currentTools.get(row.tool);
        const known = row.found?.pin ?? row.pin;
        return found === undefined || found.pin === known ? [] : [{ item_id, pin: row.pin, found }];
      });
      if (changes.length === 0) return;
      const space = await findSpace(database.pool, space_id);
      if (space === null) return;
      await authz.editContent({
        ...systemAuthority,
        reason: 'custom_tool.hold',
        writes: [scopeOf(space)],
        targets: changes.map(({ item_id }) => ({ type: 'custom_tool', id: item_id })),
        async work(transaction: Transaction) {
          for (const change of changes) await quarantinePin(transaction, change);
        },
      });
    },
  };
}

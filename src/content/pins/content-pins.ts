import type { Authz } from '../../authz/authz.ts';
import { systemAuthority } from '../../caller/actor.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { scopeOf } from '../spaces/space.ts';
import { findSpace } from '../spaces/store.ts';
import { sourceOf } from '../upstreams/content/schema.ts';
import type { AnyUpstreamContent, ContentFamily } from '../upstreams/content/schema.ts';
import {
  findContentPin,
  listChangedContent,
  listContentPins,
  markContentMissing,
  moveContentPin,
  quarantineContentPin,
  releaseContentPin,
  saveContentPin,
} from './content-store.ts';
import type { ContentPinRow, NewContentPin } from './content-store.ts';

interface ContentPinsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
}

const HOLDS = { prompt: 'prompt.hold', resource: 'resource.hold' } as const;

export type ContentPins = ReturnType<typeof createContentPins>;

/**
 * Manages the pins of prompts and resources of upstreams. As with tools, agents see only what was
 * approved: if the upstream changes a description, the item is quarantined.
 */
export function createContentPins({ database, authz }: ContentPinsDependencies) {
  const { pool } = database;

  async function quarantine(
    space_id: string,
    family: ContentFamily,
    changes: readonly { item_id: string; pin: string; found: AnyUpstreamContent }[],
  ): Promise<void> {
    const space = await findSpace(pool, space_id);
    if (space === null) return;
    await authz.editContent({
      ...systemAuthority,
      reason: HOLDS[family],
      writes: [scopeOf(space)],
      targets: changes.map(({ item_id }) => ({ type: family, id: item_id })),
      async work(transaction: Transaction) {
        for (const change of changes) await quarantineContentPin(transaction, change);
      },
    });
  }

  return {
    find: (space_id: string, item_id: string): Promise<ContentPinRow | null> =>
      findContentPin(pool, { space_id, item_id }),

    /** Saves the pin in the transaction that saves the item. Throws if its upstream was deleted. */
    async save(transaction: Transaction, pinned: NewContentPin): Promise<void> {
      if (!(await saveContentPin(transaction, pinned))) throw absent('the upstream was removed');
    },

    release: releaseContentPin,
    move: moveContentPin,
    quarantine: quarantineContentPin,

    /** Returns the pins of the items that use an upstream; all, or those with a change. */
    rowsOf: listContentPins,
    changesOf: listChangedContent,

    /**
     * Quarantines items of a family whose description changed. Those missing from the upstream are
     * only marked: agents still see them, and reads fail.
     */
    async compare(
      { id, space_id }: { id: string; space_id: string },
      family: ContentFamily,
      listed: readonly AnyUpstreamContent[],
    ): Promise<void> {
      const current = new Map(listed.map((one) => [sourceOf(one), one]));
      const rows = await listContentPins(pool, id);
      const pinned = rows.filter((row) => row.family === family);
      const isMarkedWrongly = pinned.some(
        ({ source, missing_at }) => current.has(source) === (missing_at !== null),
      );
      if (isMarkedWrongly)
        await markContentMissing(pool, { upstream_id: id, family }, [...current.keys()]);
      const changes = pinned.flatMap(({ item_id, source, pin, found: waiting }) => {
        const found = current.get(source);
        const known = waiting?.pin ?? pin;
        return found === undefined || found.pin === known ? [] : [{ item_id, pin, found }];
      });
      if (changes.length > 0) await quarantine(space_id, family, changes);
    },
  };
}

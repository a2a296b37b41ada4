import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { ItemRecord, Items } from '../items/items.ts';
import type { MovedItem, SavedItem } from '../items/kind.ts';
import type { ContentFamily } from '../upstreams/content/schema.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import type { Pins } from './pins.ts';

/** Dependencies of prompts and resources that may come from an upstream. */
export interface UpstreamItemsDependencies {
  pins: Pick<Pins, 'quarantinedItems'> & {
    content: Pick<Pins['content'], 'find' | 'save' | 'move'>;
  };
  upstreams: Pick<Upstreams, 'move'>;
}

/** Content that may come from an upstream. */
interface OfUpstream {
  upstream?: { upstream_id: string; pin: string } | undefined;
}

/** Returns the part of a kind that saves and moves the pins of its items. */
export const pinning = <Content extends OfUpstream>(
  { pins, upstreams }: UpstreamItemsDependencies,
  family: ContentFamily,
  sourceIn: (upstream: Content['upstream'] & {}) => string,
) => ({
  async onSaved(transaction: Transaction, { id, space_id, content }: SavedItem<Content>) {
    const { upstream } = content;
    if (upstream === undefined) return;
    const { upstream_id, pin } = upstream;
    const ref = { item_id: id, space_id, family, upstream_id };
    await pins.content.save(transaction, { ...ref, source: sourceIn(upstream), pin });
  },
  async onMoved(transaction: Transaction, item: MovedItem) {
    const moved = await pins.content.move(transaction, item);
    if (moved !== null) await upstreams.move(transaction, { ...item, id: moved.upstream_id });
  },
});

/** Adds the quarantine to the records of items that come from an upstream. */
export function withQuarantine<Content extends object>(
  items: Items<Content>,
  { pins }: Pick<UpstreamItemsDependencies, 'pins'>,
  pool: Queryable,
): Items<Content> {
  async function complete(space_id: string, record: ItemRecord): Promise<ItemRecord> {
    if (!isOfUpstream(record)) return record;
    const { found = null, held_at } = (await pins.content.find(space_id, record.id)) ?? {};
    return { ...record, held: found === null ? null : { found, held_at } };
  }

  return {
    ...items,
    async list(space_id, query) {
      const { data, next_cursor } = await items.list(space_id, query);
      if (!data.some(isOfUpstream)) return { data, next_cursor };
      const quarantined = await pins.quarantinedItems(pool, space_id);
      const withHeld = (record: ItemRecord): ItemRecord => {
        const held_at = quarantined.get(record.id);
        return { ...record, held: held_at === undefined ? null : { held_at } };
      };
      return { data: data.map((one) => (isOfUpstream(one) ? withHeld(one) : one)), next_cursor };
    },
    get: async (space_id, id) => complete(space_id, await items.get(space_id, id)),
    edit: async (space, ...rest) => complete(space.id, await items.edit(space, ...rest)),
    promote: async (space, ...rest) =>
      complete(space.organization_id, await items.promote(space, ...rest)),
    version: async (space_id, ...rest) =>
      complete(space_id, await items.version(space_id, ...rest)),
    restore: async (space, ...rest) => complete(space.id, await items.restore(space, ...rest)),
  };
}

const isOfUpstream = (record: ItemRecord): boolean => record['upstream'] !== undefined;

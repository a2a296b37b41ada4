import type { QuotaOwner } from '../../caller/principal.ts';
import { ToolFailure } from '../../catalog/catalog.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Pins } from '../pins/pins.ts';
import type { Space } from '../spaces/space.ts';
import type { createAddressing } from './addressing.ts';
import type { ContentFamily, UpstreamContent } from './content/schema.ts';
import type { createPool, PooledUpstream } from './pool.ts';
import type { UpstreamTool } from './schema.ts';
import { findCalled } from './store.ts';
import type { UpstreamRef } from './store.ts';

/** An upstream's tools, prompts and resources; a family that was not requested is empty. */
export interface Offer {
  tool: readonly UpstreamTool[];
  prompt: readonly UpstreamContent['prompt'][];
  resource: readonly UpstreamContent['resource'][];
}

interface OffersDependencies {
  db: Queryable;
  pool: Pick<ReturnType<typeof createPool>, 'runOnNew'>;
  pins: { content: Pick<Pins['content'], 'compare'> };
  withUpstream: ReturnType<typeof createAddressing>['withUpstream'];
  /** Throws `limited` if the quota owner lists tools too often. */
  limitDiscovery(quota_owner: QuotaOwner): Promise<void>;
}

/** Creates the functions that list what an upstream offers now. */
export function createOffers({ db, pool, pins, withUpstream, limitDiscovery }: OffersDependencies) {
  /** Lists tools, and prompts or resources if they are wanted, on a new connection. */
  const listOffer = (upstream: PooledUpstream, families: readonly ContentFamily[]) =>
    pool.runOnNew(upstream, async ({ tools, content }): Promise<Offer> => {
      const offer: Offer = { tool: tools, prompt: [], resource: [] };
      if (families.includes('prompt')) offer.prompt = await content.list('prompt');
      if (families.includes('resource')) offer.resource = await content.list('resource');
      for (const family of families) await pins.content.compare(upstream, family, offer[family]);
      return offer;
    });

  /** Lists what an upstream offers; throws 422 if that fails. */
  async function discoverOffer(
    space: Space,
    id: string,
    families: readonly ContentFamily[],
  ): Promise<Offer> {
    await limitDiscovery(space.quota_owner);
    const row = await findCalled(db, { space_id: space.id, id }, space.person);
    if (row === null) throw absent('the space has no such upstream');
    try {
      return await withUpstream(row, space.person, (upstream) => listOffer(upstream, families));
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      const { code, message, details = null } = error;
      throw unprocessable(code, message, { detail: details });
    }
  }

  return {
    discoverOffer,

    /** Lists an upstream's tools; throws 422 if that fails. */
    discover: async (space: Space, id: string) => (await discoverOffer(space, id, [])).tool,

    /**
     * Lists what an upstream offers for the gateway itself, which acts for no person. Rejects with
     * `ToolFailure` if that fails.
     */
    async listCurrent(ref: UpstreamRef, families: readonly ContentFamily[]): Promise<Offer> {
      const row = await findCalled(db, ref, null);
      if (row === null) throw absent('the space has no such upstream');
      return withUpstream(row, null, (upstream) => listOffer(upstream, families));
    },
  };
}

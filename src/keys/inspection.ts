import type { SessionPrincipal } from '../caller/principal.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { admittedView } from './admitted-view.ts';
import type { createKeyExplain, ExplainTarget } from './explain.ts';
import type { Previewed } from './fix-url.ts';
import type { createKnownItems } from './known-items.ts';
import type { Preview, PreviewPage } from './schema.ts';
import type { createShownItems } from './shown-items.ts';
import type { KeyOwner } from './store.ts';

/** A credential that exists, who manages it, and the organization that it works in. */
export interface InspectedCredential {
  id: string;
  owner: KeyOwner;
  runs_in: string | null;
}

/** Explains and previews credentials of every kind, to callers who may see them. */
export function createInspection({
  visibility,
  credentials,
  explainKey,
  knownTo,
  limitExplain,
  shownIn,
}: {
  visibility: Pick<Visibility, 'fullView' | 'precomputed'>;
  credentials: Pick<Credentials, 'findAll'>;
  explainKey: ReturnType<typeof createKeyExplain>['explain'];
  knownTo: ReturnType<typeof createKnownItems>;
  limitExplain(account_id: string): Promise<void>;
  shownIn: ReturnType<typeof createShownItems>;
}) {
  return {
    async explain(
      caller: SessionPrincipal,
      { id, owner, runs_in }: InspectedCredential,
      target: ExplainTarget,
    ) {
      await limitExplain(caller.person);
      return explainKey(id, target, await knownTo(caller, { owner, runs_in }));
    },
    /** Returns what a credential sees now. */
    async preview(
      caller: SessionPrincipal,
      { id, ...previewed }: InspectedCredential & Previewed,
      page: PreviewPage | null,
    ): Promise<Preview> {
      const credential = (await credentials.findAll([id])).get(id);
      if (credential === undefined) throw absent();
      const isKnown = await knownTo(caller, previewed);
      const view = await visibility.precomputed(
        caller.person,
        await admittedView(credential, visibility.fullView),
      );
      const { seen } = await shownIn({
        ...{ view, previewed, isKnown, fairnessKey: caller.person, page },
        default_agent_id: credential.principal.default_agent_id,
        restrictions: credential.principal.restrictions,
        tool_listing: credential.principal.tool_listing,
      });
      return { ...seen, errors: [] };
    },
  };
}
export type Inspection = ReturnType<typeof createInspection>;

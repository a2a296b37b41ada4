import type { SessionPrincipal } from '../caller/principal.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Visibility } from '../visibility/visibility.ts';
import type { createKeyExplain, ExplainTarget } from './explain.ts';
import type { createKnownItems } from './known-items.ts';
import { createShownItems } from './preview.ts';
import type { Explanation, Preview } from './schema.ts';
import type { KeyOwner } from './store.ts';

/** A credential that exists, who manages it, and the organization that it works in. */
export interface InspectedCredential {
  id: string;
  owner: KeyOwner;
  runs_in: string | null;
}

/** Explains and previews credentials of every kind, to callers who may see them. */
export interface Inspection {
  explain(
    caller: SessionPrincipal,
    credential: InspectedCredential,
    target: ExplainTarget,
  ): Promise<Explanation>;
  /** Returns what a credential sees now. */
  preview(caller: SessionPrincipal, credential: InspectedCredential): Promise<Preview>;
}

export function createInspection({
  visibility,
  credentials,
  explainKey,
  knownTo,
  limitExplain,
}: {
  visibility: Pick<Visibility, 'view' | 'list' | 'allItems' | 'reasonsAgainst'>;
  credentials: Pick<Credentials, 'principalsOf'>;
  explainKey: ReturnType<typeof createKeyExplain>;
  knownTo: ReturnType<typeof createKnownItems>;
  limitExplain(account_id: string): Promise<void>;
}): Inspection {
  const shownIn = createShownItems(visibility);
  return {
    async explain(caller, { id, owner, runs_in }, target) {
      await limitExplain(caller.person);
      return explainKey(id, target, await knownTo(caller, { owner, runs_in }));
    },
    async preview(caller, { id, owner, runs_in }) {
      const principal = (await credentials.principalsOf([id])).get(id);
      if (principal === undefined) throw absent();
      const isKnown = await knownTo(caller, { owner, runs_in });
      return { ...shownIn(await visibility.view(principal), isKnown), errors: [] };
    },
  };
}

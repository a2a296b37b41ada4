import type { SessionPrincipal } from '../caller/principal.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Visibility } from '../visibility/visibility.ts';
import type { createKeyExplain, ExplainTarget } from './explain.ts';
import type { createKnownItems } from './known-items.ts';
import type { Explanation, Preview, PreviewPage } from './schema.ts';
import type { createShownItems } from './shown-items.ts';
import type { KeyOwner } from './store.ts';

/** A credential that exists, who manages it, and the organization that it works in. */
export interface InspectedCredential {
  id: string;
  kind: 'key' | 'connection';
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
  preview(
    caller: SessionPrincipal,
    credential: InspectedCredential,
    page: PreviewPage | null,
  ): Promise<Preview>;
}

export function createInspection({
  visibility,
  credentials,
  explainKey,
  knownTo,
  limitExplain,
  shownIn,
}: {
  visibility: Pick<Visibility, 'fullView' | 'precomputed'>;
  credentials: Pick<Credentials, 'principalsOf'>;
  explainKey: ReturnType<typeof createKeyExplain>;
  knownTo: ReturnType<typeof createKnownItems>;
  limitExplain(account_id: string): Promise<void>;
  shownIn: ReturnType<typeof createShownItems>;
}): Inspection {
  return {
    async explain(caller, { id, owner, runs_in }, target) {
      await limitExplain(caller.person);
      return explainKey(id, target, await knownTo(caller, { owner, runs_in }));
    },
    async preview(caller, { id, kind, owner, runs_in }, page) {
      const principal = (await credentials.principalsOf([id])).get(id);
      if (principal === undefined) throw absent();
      const isKnown = await knownTo(caller, { owner, runs_in });
      const view = await visibility.precomputed(
        caller.person,
        await visibility.fullView(principal),
      );
      const shown = await shownIn({
        ...{ view, isKnown, fairnessKey: caller.person, page },
        previewed: { id, kind, owner, runs_in },
        default_agent_id: principal.default_agent_id,
      });
      return { ...shown, errors: [] };
    },
  };
}

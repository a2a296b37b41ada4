import type { AccessContext, Authz } from '../authz/authz.ts';
import type { AgentPrincipal, Principal } from '../caller/principal.ts';
import { personalSpaceOf, prefixOf, scopeOf } from '../content/content.ts';
import type { SpaceContents } from '../content/content.ts';
import type { View } from './decide.ts';
import { createOrganizationPlaces } from './organization.ts';
import type { Candidates, DraftPlace, OrganizationReads } from './organization.ts';
import { isInOrganization } from './held-permissions.ts';
import { createExact, createScopeCache } from './scope-cache.ts';
import { stateOf } from './scopes.ts';
import { SPACE_WEIGHT, weightOfSpace } from './weights.ts';

export interface PlacesDependencies {
  authz: Pick<Authz, 'context' | 'requireCurrent'>;
  readContents(space_id: string): Promise<SpaceContents>;
  organizations: OrganizationReads;
  /** If false (AUTHZ_CACHE=off), everything is read for each request. */
  cached: boolean;
}

// Limit of all cached spaces together.
const MAX_CHARACTERS = 100_000_000;

/** Creates the functions that return the places of a principal. */
export function createPlaces({
  authz,
  readContents: read,
  organizations,
  cached,
}: PlacesDependencies) {
  const exact = createExact(authz);
  const readExactly = exact(read);
  const contentsAt = cached
    ? createScopeCache(readExactly, {
        ...{ maxSize: MAX_CHARACTERS, pending: SPACE_WEIGHT },
        weightOf: weightOfSpace,
      })
    : readExactly;
  const organization = createOrganizationPlaces(organizations, { contentsAt, exact, cached });
  const built = createBuiltPlaces();

  /**
   * Begins to read the places in all teams, most of which are active; the reads are cached. A
   * failure is that of the request which needs the place: it reads again.
   */
  function prefetch(caller: AgentPrincipal, { teams }: Candidates): void {
    if (cached) organization.places(caller, teams()).catch(() => {});
  }

  async function personal(principal: Principal): Promise<View['places']> {
    const space = personalSpaceOf(principal);
    const contents = await contentsAt(space.id, stateOf(principal, scopeOf(space)));
    return [{ space_id: space.id, contents, prefix: PERSONAL, exposure: null }];
  }

  return {
    personal,
    /** Returns the places of a draft, which is active in all its teams. */
    draft: async (place: DraftPlace): Promise<View['places']> =>
      organization.places(place, (await organization.candidates(place)).teams()),
    /** Returns a credential's access context and places. */
    async accessOf(caller: AgentPrincipal): Promise<[AccessContext, View['places']]> {
      if (!isInOrganization(caller)) return Promise.all([authz.context(caller), personal(caller)]);
      const candidates = await organization.candidates(caller);
      const { teams, seats } = candidates;
      const context = await authz.context(caller, seats, () => prefetch(caller, candidates));
      const known = built.find(context, caller);
      if (known !== null) return [context, known];
      const active = teams((seat) => context.active.has(seat));
      return [context, built.save(context, caller, await organization.places(caller, active))];
    },
  };
}

const PERSONAL = prefixOf({ kind: 'personal' });

/**
 * Remembers the places that were built for a context. A context is the same object only while the
 * nonces of its scopes are, so only their content needs to be compared. The view cache owns the
 * places and limits their memory; this only refers to them.
 */
function createBuiltPlaces() {
  const built = new WeakMap<AccessContext, { content: string; places: WeakRef<View['places']> }>();
  const contentOf = ({ scopes }: Principal) => scopes.map(({ content }) => content).join(' ');
  return {
    find(context: AccessContext, caller: Principal): View['places'] | null {
      const known = built.get(context);
      return known?.content === contentOf(caller) ? (known.places.deref() ?? null) : null;
    },
    save(context: AccessContext, caller: Principal, places: View['places']): View['places'] {
      built.set(context, { content: contentOf(caller), places: new WeakRef(places) });
      return places;
    },
  };
}

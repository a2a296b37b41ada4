import { LRUCache } from 'lru-cache';
import { teamSeatIn } from '../caller/access.ts';
import type { Principal } from '../caller/principal.ts';
import type { ScopeState } from '../caller/scope.ts';
import { prefixOf } from '../content/content.ts';
import type { SpaceContents } from '../content/content.ts';
import type { View } from './decide.ts';
import type { ExposingTeam, Exposure, Place } from './place.ts';
import { createScopeCache } from './scope-cache.ts';
import type { Exact, ReadInScope } from './scope-cache.ts';
import { organizationScope, ownScope } from './scopes.ts';
import { POLICIES_WEIGHT, weightOfPolicies } from './weights.ts';

/** Reads an organization's rows; each result is valid for one state of a scope. */
export interface OrganizationReads {
  /** Returns the built-in items that are organization-wide, and all teams. */
  exposure(organization_id: string): Promise<{
    designated: ReadonlySet<string>;
    teams: readonly ExposingTeam[];
  }>;
  /** Returns the ids of the teams that a member has joined. */
  seatsOf(membership_id: string): Promise<readonly string[]>;
}

/** A credential that does not exist yet, in an organization, with the scopes of its creator. */
export interface DraftPlace extends Pick<Principal, 'scopes' | 'credential'> {
  /** Null for a credential of the organization itself. */
  person: string | null;
  /** The teams it is bound to; null if it follows teams. */
  team_ids: readonly string[] | null;
}

type PrincipalOrDraft = Principal | DraftPlace;

interface Reading {
  contentsAt: ReadInScope<SpaceContents>;
  exact: Exact;
  cached: boolean;
}

/** The seats of a principal in the teams on which it may be active. */
export interface Candidates {
  /** The same list until the teams change, so that what is derived from it can be cached. */
  seats: readonly string[];
  /** Returns the teams of those seats that pass, by default of all. */
  teams(passes?: (seat: string) => boolean): ExposingTeam[];
}

// Limits in characters: an organization may have 200 teams, with policies of hundreds of kilobytes.
const MAX_POLICIES = 50_000_000;
const MAX_SEATS = 20_000_000;
const SEATS_WEIGHT = 100;
// Sets of active teams, of one organization.
const MAX_EXPOSURES = 200;
// Seats of all credentials together.
const MAX_CANDIDATES = 500_000;

/**
 * Creates the places of credentials in organizations: the catalog, which is the home, the person's
 * own space there, and the teams in which the credential is active.
 */
export function createOrganizationPlaces(
  reads: OrganizationReads,
  { contentsAt, exact, cached }: Reading,
) {
  const readExposures = exact(async (id) => createExposures(await reads.exposure(id)));
  const readSeats = exact((id) => reads.seatsOf(id));
  const exposureAt = cached
    ? createScopeCache(readExposures, {
        ...{ maxSize: MAX_POLICIES, pending: POLICIES_WEIGHT },
        weightOf: ({ teams }) =>
          teams.reduce((sum, { policies }) => sum + weightOfPolicies(policies), POLICIES_WEIGHT),
      })
    : readExposures;
  const seatsAt = cached
    ? createScopeCache(readSeats, {
        ...{ maxSize: MAX_SEATS, pending: SEATS_WEIGHT },
        weightOf: (ids) => ids.reduce((sum, id) => sum + id.length, SEATS_WEIGHT),
      })
    : readSeats;

  const candidatesOf = createCandidatesCache();

  /**
   * Returns the ids of the teams; null for all, which the organization's credentials may follow.
   */
  async function candidateIds(principal: PrincipalOrDraft): Promise<readonly string[] | null> {
    const bound = 'team_ids' in principal ? (principal.team_ids ?? null) : null;
    if (bound !== null || principal.person === null) return bound;
    const own = ownScope(principal);
    return seatsAt(own.id, own);
  }

  return {
    /** Returns the teams for which OpenFGA must decide whether the principal is active. */
    async candidates(principal: PrincipalOrDraft): Promise<Candidates> {
      const scope = organizationScope(principal);
      const [{ teams }, ids] = await Promise.all([
        exposureAt(scope.id, scope),
        candidateIds(principal),
      ]);
      return candidatesOf(principal, teams, ids);
    },
    async places(
      principal: PrincipalOrDraft,
      teams: readonly ExposingTeam[],
    ): Promise<View['places']> {
      const scope = organizationScope(principal);
      // All at once: what is not cached is read by shared queries.
      const [{ exposureOf }, catalog, ...others] = await Promise.all([
        exposureAt(scope.id, scope),
        contentsAt(scope.id, scope),
        ...(principal.person === null ? [] : [memberPlace(principal)]),
        ...teams.map((team) => teamPlace(team, scope)),
      ]);
      const exposure = exposureOf(catalog, teams);
      return [{ space_id: scope.id, contents: catalog, prefix: CATALOG, exposure }, ...others];
    },
  };

  async function memberPlace(principal: PrincipalOrDraft): Promise<Place> {
    const own = ownScope(principal);
    const contents = await contentsAt(own.id, own);
    return { space_id: own.id, contents, prefix: MEMBER, exposure: null };
  }

  async function teamPlace({ id, name }: ExposingTeam, scope: ScopeState): Promise<Place> {
    const contents = await contentsAt(id, scope);
    return { space_id: id, contents, prefix: prefixOf({ kind: 'team', name }), exposure: null };
  }
}

const CATALOG = prefixOf({ kind: 'organization' });
const MEMBER = prefixOf({ kind: 'member' });

interface KnownSeats {
  /** Weak, since the cache of exposures limits the memory of teams' policies. */
  all: WeakRef<readonly ExposingTeam[]>;
  ids: readonly string[] | null;
  person: string | null;
  seats: readonly string[];
  /** Indexes of the seats' teams in `all`. */
  indexes: readonly number[];
}

/**
 * Chooses the candidates among all teams of an organization, by id; null chooses all. The seats of
 * a credential are the same list until one of them changes.
 */
function createCandidatesCache() {
  const cache = new LRUCache<string, KnownSeats>({
    maxSize: MAX_CANDIDATES,
    sizeCalculation: ({ seats }) => 1 + seats.length,
  });

  function seatsOf(
    principal: PrincipalOrDraft,
    all: readonly ExposingTeam[],
    ids: readonly string[] | null,
  ): KnownSeats {
    const { credential, person } = principal;
    const known = cache.get(credential.id);
    const isSame =
      known?.all.deref() === all && known.person === person && isSameList(known.ids, ids);
    if (isSame) return known;
    const chosen = ids === null ? null : new Set(ids);
    const indexes = [...all.keys()].filter((index) => chosen?.has(all[index]!.id) ?? true);
    const seats = indexes.map((index) => teamSeatIn(principal, { team_id: all[index]!.id })!);
    const found = { all: new WeakRef(all), ids, person, seats, indexes };
    cache.set(credential.id, found);
    return found;
  }

  return function candidatesOf(
    principal: PrincipalOrDraft,
    all: readonly ExposingTeam[],
    ids: readonly string[] | null,
  ): Candidates {
    const { seats, indexes } = seatsOf(principal, all, ids);
    return {
      seats,
      teams: (passes = () => true) =>
        indexes.filter((_, seat) => passes(seats[seat]!)).map((index) => all[index]!),
    };
  };
}

const isSameList = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one === other ||
  (one?.length === other?.length && one?.every((id, index) => id === other?.[index]) === true);

/** Builds an organization's exposures once per set of active teams. */
function createExposures({
  designated,
  teams,
}: Awaited<ReturnType<OrganizationReads['exposure']>>) {
  const exposures = new LRUCache<string, Exposure>({ max: MAX_EXPOSURES });
  const wide = new WeakMap<SpaceContents, ReadonlySet<string>>();

  function designatedIn(catalog: SpaceContents): ReadonlySet<string> {
    let all = wide.get(catalog);
    if (all === undefined) {
      const items = catalog.items.filter((item) => item.organization_wide === true);
      wide.set(catalog, (all = designated.union(new Set(items.map(({ id }) => id)))));
    }
    return all;
  }

  return {
    teams,
    exposureOf(catalog: SpaceContents, active: readonly ExposingTeam[]): Exposure {
      const key = active.map(({ id }) => id).join(' ');
      const all = designatedIn(catalog);
      const known = exposures.get(key);
      if (known?.designated === all) return known;
      const built = { designated: all, teams: active };
      exposures.set(key, built);
      return built;
    },
  };
}

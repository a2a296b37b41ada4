import type { Authz } from '../authz/authz.ts';
import { personalPermissionByGrant } from '../authz/permissions.ts';
import type { Capability } from '../authz/permissions.ts';
import type { AgentPrincipal, Principal } from '../caller/principal.ts';
import type { ScopeRef, ScopeState } from '../caller/scope.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { When } from '../content/agents/schema.ts';
import type { Family } from '../content/items/schema.ts';
import { policiesOf } from '../policies/item-policies.ts';
import type { StoredPolicies } from '../policies/item-policies.ts';
import { patternsOf } from '../policies/patterns.ts';
import type { Patterns } from '../policies/patterns.ts';
import { resourceUri } from '../policies/resource-path.ts';
import { decide, placeOf, reasonsAgainst } from './decide.ts';
import type { View } from './decide.ts';
import { prefixOf } from './place.ts';
import { explainItem } from './explain.ts';
import type { AgentItem, Item, ItemOf, ResourceItem, Runnable, ToolItem } from './item.ts';
import { createSpaceCache } from './space-cache.ts';
import { createListCache, createViewCache } from './view-cache.ts';
import { createPrecompute } from './precompute.ts';
import { createCandidates, isNotSystemTool } from './candidates.ts';
import { personalSpaceOf, scopeOf } from '../content/spaces/spaces.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';

export type { View } from './decide.ts';
export { addressOf } from './item.ts';
export type { AgentItem, Item, PromptItem, ResourceItem, ToolItem } from './item.ts';
export type { SpaceContents } from '../content/spaces/spaces.ts';

/** The configurable part of a personal key's access; policies are in their stored shape. */
export interface Configuration extends StoredPolicies {
  mcp_capabilities: readonly Capability[];
  grants?: readonly { scope: { type: string }; permissions: readonly string[] }[];
}

/** An item of the caller's own space. */
export type OwnRef = Pick<Item, 'family' | 'space_id' | 'id' | 'name'>;

/** Views, lists and access decisions for credentials. */
export interface Visibility {
  /**
   * Returns the caller's view, without SQL when warm. Throws `unavailable` rather than returning a
   * partial view.
   */
  view(caller: AgentPrincipal): Promise<View>;
  /** Returns a function that builds the view of a key of the caller before it exists (K2). */
  drafts(caller: Principal): Promise<(configuration: Configuration) => View>;
  decide: typeof decide;
  /** Returns every item the people of the account may know of, allowed or not, by address. */
  everything<F extends Family>(view: View, family: F): readonly ItemOf[F][];
  /**
   * Matches the patterns against the resources in pieces, between which other requests run, so that
   * decisions find the results cached. A view is already settled for all resources of its space.
   */
  settle(fairKey: string, patterns: Patterns, items: readonly ResourceItem[]): Promise<void>;
  reasonsAgainst: typeof reasonsAgainst;
  explain: typeof explainItem;
  /** Returns the allowed items, sorted by address; the same objects until their space changes. */
  list<F extends Family>(view: View, family: F): readonly ItemOf[F][];
  /** Finds an item by address; null if it is absent or deprecated. Use `decide` to check access. */
  find<F extends Family>(view: View, family: F, name: string): ItemOf[F] | null;
  /** Returns the item with this id if the caller may use it, else null. */
  reach<F extends Family>(view: View, family: F, id: string): ItemOf[F] | null;
  /** Returns whether the caller may read an own item as stored now; the view may be older. */
  mayRead(fairKey: string, view: View, item: OwnRef): Promise<boolean>;
  /** Returns the names of the agent's components that apply to the caller, in their order. */
  components(view: View, agent: Pick<AgentItem, 'space_id' | 'components'>): string[];
}

export interface VisibilityDependencies {
  authz: Pick<Authz, 'context' | 'check'>;
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'version'>;
  readContents(space_id: string): Promise<SpaceContents>;
  runnable: Runnable;
  /** False (AUTHZ_CACHE=off): spaces and views are read for each request. */
  cached: boolean;
}

export function createVisibility(dependencies: VisibilityDependencies): Visibility {
  const { authz, catalog, readContents: read, runnable, cached } = dependencies;
  const candidates = createCandidates(catalog, runnable);
  const cachedView = cached ? createViewCache() : (_: AgentPrincipal, view: View) => view;
  const placesOf = createPlacesOf(cached ? createSpaceCache(read) : read);
  const { permissionsOf, grantableBy } = createPermissions(dependencies, candidates);
  const { settle, settled } = createPrecompute((view) => candidates.of(view).resource.items);

  function find<F extends Family>(view: View, family: F, name: string): ItemOf[F] | null {
    const found = candidates.of(view)[family].byAddress.get(name);
    if (found !== undefined || family !== 'tool') return found ?? null;
    return candidates.builtInTool(name) as ItemOf[F] | null;
  }

  function reach<F extends Family>(view: View, family: F, id: string): ItemOf[F] | null {
    const found = candidates.of(view)[family].byId.get(id);
    return found !== undefined && isAllowed(view, found) ? found : null;
  }

  /** Whether a condition of an agent in this space holds. A resource path is one of this space. */
  function holds(view: View, space_id: string, when: When): boolean {
    if (when === null) return true;
    const { capability, resource: path, ...items } = when;
    if (capability !== undefined) return view.capabilities.has(capability);
    if (path !== undefined) {
      const { prefix } = placeOf(view, { space_id });
      const resource = find(view, 'resource', resourceUri(prefix.uri, path));
      return resource !== null && isAllowed(view, resource);
    }
    return (['tool', 'prompt', 'agent'] as const).some(
      (family) => items[family] !== undefined && reach(view, family, items[family]) !== null,
    );
  }

  async function readView(caller: AgentPrincipal): Promise<View> {
    const [context, places] = await Promise.all([authz.context(caller), placesOf(caller)]);
    const view: View = { ...context, permissions: NONE, places, policies: policiesOf(caller) };
    if (candidates.guarded(view).length > 0) view.permissions = await permissionsOf(caller, view);
    return settled(caller.quota_owner.id, cachedView(caller, view));
  }

  return {
    view: cached ? oncePerCaller(readView) : readView,
    async drafts(caller) {
      const places = await placesOf(caller);
      const held = await grantableBy(caller, places);
      return (configuration) => ({
        connected: true,
        // In a personal account, no role limits the capabilities.
        capabilities: new Set(configuration.mcp_capabilities),
        permissions: grantedBy(configuration).intersection(held),
        places,
        policies: policiesOf(configuration),
      });
    },
    ...{ decide, settle, find, reach },
    mayRead: createMayRead(settle),
    everything: (view, family) => candidates.everything(view, family),
    reasonsAgainst,
    explain: explainItem,
    list: createListCache((view, family) =>
      candidates.of(view)[family].items.filter((item) => isAllowed(view, item)),
    ),
    components: (view, { space_id, components }) =>
      components.filter(({ when }) => holds(view, space_id, when)).map(({ name }) => name),
  };
}

type Candidates = ReturnType<typeof createCandidates>;

/** Checks in OpenFGA only the permissions that reachable tools need. */
function createPermissions({ authz }: VisibilityDependencies, candidates: Candidates) {
  async function permissionsAmong(caller: Principal, tools: readonly ToolItem[]) {
    const needed = tools.flatMap(({ requires }) => requires.permission ?? []);
    if (needed.length === 0) return NONE;
    const relations = [...new Set(needed)];
    const answers = await authz.check(caller, relations);
    return new Set(relations.filter((relation) => answers.get(relation) === true));
  }

  return {
    /** Checks only the tools that pass every other rule, so that other callers cause no checks. */
    permissionsOf: (caller: AgentPrincipal, view: View): Promise<ReadonlySet<string>> =>
      permissionsAmong(
        caller,
        candidates.guarded(view).filter((item) => isAllowed(view, { ...item, requires: {} })),
      ),
    /** Returns the permissions that a person can give to a key. */
    grantableBy: (person: Principal, places: View['places']): Promise<ReadonlySet<string>> =>
      permissionsAmong(person, candidates.guarded({ places })),
  };
}

const grantedBy = ({ grants = [] }: Configuration): ReadonlySet<string> =>
  new Set(
    grants
      .filter(({ scope }) => scope.type === 'personal')
      .flatMap(({ permissions }) => permissions)
      .flatMap((name) => personalPermissionByGrant(name) ?? [])
      .map(({ relation }) => `can_${relation}`),
  );

const NONE: ReadonlySet<string> = new Set();

/**
 * Builds the view once per caller object, which stands for one read of its row: requests that share
 * it share the view. A failure is not cached.
 */
function oncePerCaller(readView: (caller: AgentPrincipal) => Promise<View>) {
  const views = new WeakMap<AgentPrincipal, Promise<View>>();
  return (caller: AgentPrincipal): Promise<View> => {
    const known = views.get(caller);
    if (known !== undefined) return known;
    const view = readView(caller);
    views.set(caller, view);
    view.catch(() => views.delete(caller));
    return view;
  };
}

/** The fields of an own item that decisions use. */
const ownRefItem = ({ family, space_id, id, name }: OwnRef): Item =>
  ({
    ...{ family, space_id, id, name, requires: {} },
    origin: family === 'tool' ? 'custom' : 'own',
  }) as Item;

function createMayRead(settle: Visibility['settle']): Visibility['mayRead'] {
  return async (fairKey, view, item) => {
    const isInReach = view.places.some(({ space_id }) => space_id === item.space_id);
    if (!isInReach || !isNotSystemTool(item)) return false;
    const own = ownRefItem(item);
    const { patterns } = view.policies.resource;
    if (own.family === 'resource' && patterns !== undefined)
      await settle(fairKey, patternsOf(patterns), [own]);
    return isAllowed(view, own);
  };
}

const isAllowed = (view: View, item: Item) => decide(view, item).outcome === 'allowed';

/** Returns the places of a principal; every credential served today has one place, its home. */
function createPlacesOf(
  contentsAt: (space_id: string, scope: ScopeState) => Promise<SpaceContents>,
) {
  return async function placesOf(principal: Principal): Promise<View['places']> {
    const space = personalSpaceOf(principal);
    const contents = await contentsAt(space.id, stateOf(principal, scopeOf(space)));
    return [{ space_id: space.id, contents, prefix: PERSONAL, exposure: null }];
  };
}

const PERSONAL = prefixOf({ kind: 'personal' });

function stateOf({ scopes }: Principal, scope: ScopeRef): ScopeState {
  const state = scopes.find(({ kind, id }) => kind === scope.kind && id === scope.id);
  if (state === undefined) throw new TypeError(`The principal lacks the scope ${scope.kind}.`);
  return state;
}

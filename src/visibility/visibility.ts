import type { Authz } from '../authz/authz.ts';
import { isOutside } from '../caller/principal.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { When } from '../content/agents/schema.ts';
import type { Family } from '../content/items/schema.ts';
import { policiesOf } from '../policies/item-policies.ts';
import { patternsOf } from '../policies/patterns.ts';
import type { Patterns } from '../policies/patterns.ts';
import { resourceUri } from '../policies/resource-path.ts';
import { deepFreeze } from '../platform/frozen.ts';
import { decide, placeOf, reasonsAgainst } from './decide.ts';
import type { View } from './decide.ts';
import { emptyView } from './place.ts';
import { createDrafts } from './drafts.ts';
import type { Drafts } from './drafts.ts';
import { createPermissions, permissionCheck, NO_PERMISSIONS } from './held-permissions.ts';
import { createPlaces } from './places.ts';
import type { PlacesDependencies } from './places.ts';
import { explainItem } from './explain.ts';
import type { AgentItem, Item, ItemOf, ResourceItem, Runnable } from './item.ts';
import { createListCache, createViewCache } from './view-cache.ts';
import { createViewOnce } from './view-once.ts';
import { createPrecompute } from './precompute.ts';
import { createCandidates, hasOwnName } from './candidates.ts';
import type { Space } from '../content/content.ts';

export { capabilityOf, missingCapabilities, placeOf } from './decide.ts';
export { decidingCapabilities } from './deciding-capabilities.ts';
export type { Denial, View } from './decide.ts';
export type { Configuration } from './drafts.ts';
export { addressOf } from './item.ts';
export { emptyView as nowhere } from './place.ts';
export type { OrganizationReads } from './organization.ts';
export type { Place } from './place.ts';
export { UNCHANGED } from './views-around.ts';
export type { Compare, StatesAround, Subject, SubjectState, ViewsAround } from './views-around.ts';
export type { AgentItem, Item, PromptItem, ResourceItem, ToolItem } from './item.ts';
export type { SpaceContents } from '../content/content.ts';

/** An item of the caller's own space. */
export type OwnRef = Pick<Item, 'family' | 'space_id' | 'id' | 'name'>;

/** Views, lists and access decisions for credentials. */
export interface Visibility extends Drafts {
  /**
   * Returns the caller's view, without SQL when warm. Throws `unavailable` rather than returning a
   * partial view, and `ConcurrentUpdate` if what it reads has changed since the caller was read.
   */
  view(caller: AgentPrincipal): Promise<View>;
  /**
   * Returns the caller's view with the permissions of every tool, so that `reasonsAgainst` is
   * complete; `view` checks only those that may decide. Its resource policies are not evaluated yet:
   * call `precomputed` before it is listed.
   */
  fullView(caller: AgentPrincipal): Promise<View>;
  /**
   * Returns the caller's view for decisions on agents: without the permissions of management tools
   * and without evaluated resource policies, which agents do not depend on.
   */
  agentView(caller: AgentPrincipal): Promise<View>;
  decide: typeof decide;
  /** Returns every item that people with access may know of, allowed or not, by address. */
  allItems<F extends Family>(view: View, family: F): readonly ItemOf[F][];
  /**
   * Matches the patterns against the resources in pieces, between which other requests run, so that
   * decisions find the results cached.
   */
  precompute(
    fairnessKey: string,
    patterns: Patterns,
    items: readonly ResourceItem[],
  ): Promise<void>;
  /**
   * Does so for all resources of a view, with its own patterns and those of teams. `view` has done
   * it; views of drafts need it before they are listed.
   */
  precomputed(fairnessKey: string, view: View, timeoutMs?: number): Promise<View>;
  reasonsAgainst: typeof reasonsAgainst;
  explain: typeof explainItem;
  /** Returns the allowed items, sorted by address; the same objects until their space changes. */
  list<F extends Family>(view: View, family: F): readonly ItemOf[F][];
  /** Finds an item by address; null if it is absent or deprecated. Use `decide` to check access. */
  find<F extends Family>(view: View, family: F, name: string): ItemOf[F] | null;
  /** Returns the item with this id if the caller may use it, else null. */
  reach<F extends Family>(view: View, family: F, id: string): ItemOf[F] | null;
  /**
   * Returns whether the caller may read an own item in its current state; the view may be older.
   */
  mayRead(fairnessKey: string, view: View, item: OwnRef): Promise<boolean>;
  /**
   * Returns whether the caller may change items of a space. The permission is named as in a
   * personal space: `can_prompts_create`.
   */
  mayWrite(caller: AgentPrincipal, space: Space, permission: string): Promise<boolean>;
  /** Returns whether the caller has a management tool's permission in at least one space. */
  hasPermission(caller: AgentPrincipal, view: View, permission: string): Promise<boolean>;
  permissionCheck: typeof permissionCheck;
  /** Returns the names of the agent's components that apply to the caller, in their order. */
  components(view: View, agent: Pick<AgentItem, 'space_id' | 'components'>): string[];
}

export interface VisibilityDependencies extends PlacesDependencies {
  authz: Pick<Authz, 'context' | 'check' | 'checkEach' | 'requireCurrent' | 'generation'>;
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'version'>;
  runnable: Runnable;
}

export function createVisibility(dependencies: VisibilityDependencies): Visibility {
  const { authz, catalog, runnable, cached } = dependencies;
  const candidates = createCandidates(catalog, runnable);
  const share = cached ? createSharedViews() : (_: AgentPrincipal, view: View) => view;
  const places = createPlaces(dependencies);
  const { guardedTools, guardedBuiltIn } = candidates;
  const { permissionsOf, allPermissionsOf, grantableBy, hasPermission, mayWrite } =
    createPermissions(authz, guardedTools, guardedBuiltIn);
  const { precompute, precomputed } = createPrecompute(
    (view) => candidates.indexesOf(view).resource.items,
  );

  function find<F extends Family>(view: View, family: F, name: string): ItemOf[F] | null {
    const found = candidates.indexesOf(view)[family].byAddress(name);
    return found ?? candidates.builtIn(family, name);
  }

  function reach<F extends Family>(view: View, family: F, id: string): ItemOf[F] | null {
    const found = candidates.indexesOf(view)[family].byId(id);
    return found !== undefined && isAllowed(view, found) ? found : null;
  }

  /**
   * Returns whether an agent's condition holds; a resource path is relative to the agent's space.
   */
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

  async function agentView(caller: AgentPrincipal): Promise<View> {
    const policies = policiesOf(caller);
    if (isOutside(caller)) return { ...emptyView, policies };
    const [{ connected, capabilities }, all] = await places.accessOf(caller);
    return { connected, capabilities, permissions: NO_PERMISSIONS, places: all, policies };
  }

  async function readView(caller: AgentPrincipal): Promise<View> {
    const view = await agentView(caller);
    if (isOutside(caller)) return view;
    const isGuarded = guardedTools(view).length > 0;
    const permissions = isGuarded ? await permissionsOf(caller, view) : view.permissions;
    return share(caller, { ...view, permissions });
  }
  const readOnce = cached ? createViewOnce(readView, authz.generation) : readView;
  /** Rows alone decide that a caller is outside its organization, even without a store. */
  const viewOf = (caller: AgentPrincipal) => (isOutside(caller) ? readView : readOnce)(caller);

  return {
    view: async (caller) => precomputed(caller.quota_owner.id, await viewOf(caller)),
    async fullView(caller) {
      const view = await viewOf(caller);
      return { ...view, permissions: await allPermissionsOf(caller, view) };
    },
    agentView,
    ...createDrafts({ places, guarded: guardedBuiltIn, grantableBy }),
    ...{ decide, precompute, precomputed, find, reach, hasPermission, permissionCheck, mayWrite },
    mayRead: createMayRead(precompute),
    allItems: (view, family) => candidates.allItems(view, family),
    reasonsAgainst,
    explain: explainItem,
    list: createListCache((view, family) =>
      candidates.indexesOf(view)[family].items.filter((item) => isAllowed(view, item)),
    ),
    components: (view, { space_id, components }) =>
      components.filter(({ when }) => holds(view, space_id, when)).map(({ name }) => name),
  };
}

/** Creates the function that returns a view for several requests: cached, and frozen. */
function createSharedViews() {
  const cachedView = createViewCache();
  return (caller: AgentPrincipal, view: View) => cachedView(caller, deepFreeze(view));
}

/** The fields of an own item that decisions use. */
const ownRefItem = ({ family, space_id, id, name }: OwnRef): Item =>
  ({
    ...{ family, space_id, id, name, requires: {} },
    origin: family === 'tool' ? 'custom' : 'own',
  }) as Item;

function createMayRead(precompute: Visibility['precompute']): Visibility['mayRead'] {
  return async (fairnessKey, view, item) => {
    const isInReach = view.places.some(({ space_id }) => space_id === item.space_id);
    if (!isInReach || !hasOwnName(item)) return false;
    const own = ownRefItem(item);
    const { patterns } = view.policies.resource;
    if (own.family === 'resource' && patterns !== undefined)
      await precompute(fairnessKey, patternsOf(patterns), [own]);
    return isAllowed(view, own);
  };
}

const isAllowed = (view: View, item: Item) => decide(view, item).outcome === 'allowed';

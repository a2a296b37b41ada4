import type { Authz } from '../authz/authz.ts';
import { personalPermissionByGrant } from '../authz/permissions.ts';
import type { Capability } from '../authz/permissions.ts';
import type { AgentPrincipal, Principal } from '../caller/principal.ts';
import type { ScopeRef, ScopeState } from '../caller/scope.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { When } from '../content/agents/schema.ts';
import type { Family } from '../content/items/schema.ts';
import { storedAgentPolicy } from '../policies/agent-policy.ts';
import { patternsOf } from '../policies/patterns.ts';
import type { Patterns } from '../policies/patterns.ts';
import { storedPromptPolicy } from '../policies/prompt-policy.ts';
import { resourceUri } from '../policies/resource-path.ts';
import { storedResourcePolicy } from '../policies/resource-policy.ts';
import { storedToolPolicy } from '../policies/tool-policy.ts';
import { decide, reasonsAgainst } from './decide.ts';
import type { View } from './decide.ts';
import { prefixOf } from './place.ts';
import type { Policies } from './place.ts';
import { explainItem } from './explain.ts';
import type { AgentItem, Item, ItemOf, ResourceItem, Runnable, ToolItem } from './item.ts';
import { createKeptSpaces } from './kept-spaces.ts';
import { createKeptLists, createKeptViews } from './kept-views.ts';
import { createSettling } from './settling.ts';
import { createShelves, isNoSystemTool } from './shelves.ts';
import { personalSpaceOf, scopeOf } from '../content/spaces/spaces.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';

export type { View } from './decide.ts';
export type { AgentItem, Item, PromptItem, ResourceItem, ToolItem } from './item.ts';
export type { SpaceContents } from '../content/spaces/spaces.ts';

/** What a personal key may say of what it reaches; the policies in their stored shapes. */
export interface Configuration extends StoredPolicies {
  mcp_capabilities: readonly Capability[];
  grants?: readonly { scope: { type: string }; permissions: readonly string[] }[];
}
type StoredPolicies = Pick<
  AgentPrincipal,
  'tool_policy' | 'resource_policy' | 'prompt_policy' | 'agent_policy'
>;

/** An item of the caller's own space. */
export type OwnRef = Pick<Item, 'family' | 'space_id' | 'id' | 'name'>;

/** What one credential reaches. */
export interface Visibility {
  /** Costs no SQL when warm. Throws `unavailable` rather than showing less. */
  view(caller: AgentPrincipal): Promise<View>;
  /** What keys of the caller's account reach with what they are configured to (K2). */
  drafts(caller: Principal): Promise<(configuration: Configuration) => View>;
  decide: typeof decide;
  /** Every item the people of the account may know of, allowed or not, in the order of names. */
  everything<F extends Family>(view: View, family: F): readonly ItemOf[F][];
  /**
   * Finds which of the patterns speak of the resources, in pieces between which others have their
   * turn, so that it is known when it is asked. A view is settled for all resources of its space.
   */
  settle(fairKey: string, patterns: Patterns, items: readonly ResourceItem[]): Promise<void>;
  reasonsAgainst: typeof reasonsAgainst;
  explain: typeof explainItem;
  /** What is allowed, in the order of names; each is the same object while its space stands. */
  list<F extends Family>(view: View, family: F): readonly ItemOf[F][];
  /** Null: absent or deprecated. Whether the caller may use it is for `decide` to say. */
  find<F extends Family>(view: View, family: F, name: string): ItemOf[F] | null;
  /** What the caller reaches under this id, and nothing else. */
  reach<F extends Family>(view: View, family: F, id: string): ItemOf[F] | null;
  /** Returns whether the caller may read an own item as it is stored now: the view may be older. */
  mayRead(fairKey: string, view: View, item: OwnRef): Promise<boolean>;
  /** Returns the names of the agent's components that apply to the caller, in their order. */
  components(view: View, agent: Pick<AgentItem, 'components'>): string[];
}

export interface VisibilityDependencies {
  authz: Pick<Authz, 'context' | 'check'>;
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'version'>;
  readContents(space_id: string): Promise<SpaceContents>;
  runnable: Runnable;
  /** False (AUTHZ_CACHE=off): spaces are read every time. */
  cached: boolean;
}

export function createVisibility(dependencies: VisibilityDependencies): Visibility {
  const { authz, catalog, readContents: read, runnable, cached } = dependencies;
  const shelves = createShelves(catalog, runnable);
  const keptView = cached ? createKeptViews() : (_: AgentPrincipal, view: View) => view;
  const placesOf = createPlaces(cached ? createKeptSpaces(read) : read);
  const { permissionsOf, lentBy } = createPermissions(dependencies, shelves);
  const { settle, settled } = createSettling((view) => shelves.of(view).resource.items);

  function find<F extends Family>(view: View, family: F, name: string): ItemOf[F] | null {
    const found = shelves.of(view)[family].byName.get(name);
    if (found !== undefined || family !== 'tool') return found ?? null;
    return shelves.builtInTool(name) as ItemOf[F] | null;
  }

  function reach<F extends Family>(view: View, family: F, id: string): ItemOf[F] | null {
    const found = shelves.of(view)[family].byId.get(id);
    return found !== undefined && isAllowed(view, found) ? found : null;
  }

  function holds(view: View, when: When): boolean {
    if (when === null) return true;
    const { capability, resource: path, ...items } = when;
    if (capability !== undefined) return view.capabilities.has(capability);
    if (path !== undefined) {
      return view.places.some(({ prefix }) => {
        const resource = find(view, 'resource', resourceUri(prefix.uri, path));
        return resource !== null && isAllowed(view, resource);
      });
    }
    return (['tool', 'prompt', 'agent'] as const).some(
      (family) => items[family] !== undefined && reach(view, family, items[family]) !== null,
    );
  }

  async function readView(caller: AgentPrincipal): Promise<View> {
    const [context, places] = await Promise.all([authz.context(caller), placesOf(caller)]);
    const view: View = { ...context, permissions: NONE, places, policies: policiesOf(caller) };
    if (shelves.guarded(view).length > 0) view.permissions = await permissionsOf(caller, view);
    return settled(caller.quota_owner.id, keptView(caller, view));
  }

  return {
    view: cached ? oncePerCaller(readView) : readView,
    async drafts(caller) {
      const places = await placesOf(caller);
      const held = await lentBy(caller, places);
      return (configuration) => ({
        connected: true,
        // No role bounds the capabilities of a personal account.
        capabilities: new Set(configuration.mcp_capabilities),
        permissions: grantedBy(configuration).intersection(held),
        places,
        policies: policiesOf(configuration),
      });
    },
    ...{ decide, settle, find, reach },
    mayRead: createMayRead(settle),
    everything: (view, family) => shelves.everything(view, family),
    reasonsAgainst,
    explain: explainItem,
    list: createKeptLists((view, family) =>
      shelves.of(view)[family].items.filter((item) => isAllowed(view, item)),
    ),
    components: (view, { components }) =>
      components.filter(({ when }) => holds(view, when)).map(({ name }) => name),
  };
}

type Shelves = ReturnType<typeof createShelves>;

/** Asks OpenFGA for the permissions that tools within reach need, and for no others. */
function createPermissions({ authz }: VisibilityDependencies, shelves: Shelves) {
  async function heldAmong(caller: Principal, tools: readonly ToolItem[]) {
    const needed = tools.flatMap(({ requires }) => requires.permission ?? []);
    if (needed.length === 0) return NONE;
    const relations = [...new Set(needed)];
    const answers = await authz.check(caller, relations);
    return new Set(relations.filter((relation) => answers.get(relation) === true));
  }

  return {
    /** Asked only where nothing but a permission stands against a tool: others pay nothing. */
    permissionsOf: (caller: AgentPrincipal, view: View): Promise<ReadonlySet<string>> =>
      heldAmong(
        caller,
        shelves.guarded(view).filter((item) => isAllowed(view, { ...item, requires: {} })),
      ),
    /** Returns what a person may lend. */
    lentBy: (person: Principal, places: View['places']): Promise<ReadonlySet<string>> =>
      heldAmong(person, shelves.guarded({ places })),
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

/** A caller is of one read of its row: requests that share it see the same, or fail and ask again. */
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

/** As much of an own item as a decision looks at. */
const ownRefItem = ({ family, space_id, id, name }: OwnRef): Item =>
  ({
    ...{ family, space_id, id, name, requires: {} },
    origin: family === 'tool' ? 'custom' : 'own',
  }) as Item;

function createMayRead(settle: Visibility['settle']): Visibility['mayRead'] {
  return async (fairKey, view, item) => {
    const isInReach = view.places.some(({ space_id }) => space_id === item.space_id);
    if (!isInReach || !isNoSystemTool(item)) return false;
    const own = ownRefItem(item);
    const { patterns } = view.policies.resource;
    if (own.family === 'resource' && patterns !== undefined)
      await settle(fairKey, patternsOf(patterns), [own]);
    return isAllowed(view, own);
  };
}

const isAllowed = (view: View, item: Item) => decide(view, item).outcome === 'allowed';

const policiesOf = (stored: StoredPolicies): Policies => ({
  tool: storedToolPolicy(stored.tool_policy),
  prompt: storedPromptPolicy(stored.prompt_policy),
  resource: storedResourcePolicy(stored.resource_policy),
  agent: storedAgentPolicy(stored.agent_policy),
});

/** Returns the places of a principal. Every credential served today is at home in one space. */
function createPlaces(contentsAt: (space_id: string, scope: ScopeState) => Promise<SpaceContents>) {
  return async function placesOf(principal: Principal): Promise<View['places']> {
    const space = personalSpaceOf(principal);
    const contents = await contentsAt(space.id, stateOf(principal, scopeOf(space)));
    return [{ space_id: space.id, contents, prefix: PERSONAL, exposure: null }];
  };
}

const PERSONAL = prefixOf({ kind: 'personal' });

function stateOf({ scopes }: Principal, wanted: ScopeRef): ScopeState {
  const state = scopes.find(({ kind, id }) => kind === wanted.kind && id === wanted.id);
  if (state === undefined) throw new TypeError(`The principal lacks the scope ${wanted.kind}.`);
  return state;
}

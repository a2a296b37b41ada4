import { LRUCache } from 'lru-cache';
import type { AgentPrincipal } from '../caller/principal.ts';
import type { Family } from '../content/items/schema.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';
import type { View } from './decide.ts';
import type { Place, Policies } from './place.ts';
import type { Item, ItemOf } from './item.ts';
import { weightOfSpace } from './kept-spaces.ts';

// Of all accounts, their spaces among it, and of one: an account may have a thousand keys, each with
// patterns of a hundred kilobytes.
const MOST_CHARACTERS = 100_000_000;
const MOST_OF_ONE = 4_000_000;
// Of a view whose policies say nothing, and of an item in its lists.
const VIEW_WEIGHT = 1_000;
const ITEM_WEIGHT = 10;

/** Views whose home is one state of one space. */
interface ViewsOf {
  home: SpaceContents;
  views: LRUCache<string, View>;
}

/**
 * The view of a credential stays one object while everything it is made of stays the same, so that
 * what follows from it can be cached by it. Views are grouped by their home space and found by their
 * credential: credentials of one person in several places do not evict each other.
 */
export function createKeptViews({ most = MOST_CHARACTERS, mostOfOne = MOST_OF_ONE } = {}) {
  const kept = new LRUCache<string, ViewsOf>({ maxSize: most });

  function viewsOf({ space_id, contents }: Place): ViewsOf['views'] {
    const known = kept.get(space_id);
    return known?.home === contents ? known.views : new LRUCache({ maxSize: mostOfOne });
  }

  /** Returns the cached view of the credential if it equals this one, else caches this one. */
  return function keptView({ credential }: Pick<AgentPrincipal, 'credential'>, view: View): View {
    const [home] = view.places;
    const views = viewsOf(home);
    const known = views.get(credential.id);
    if (known !== undefined && isSameView(known, view)) return known;
    views.set(credential.id, view, { size: weightOf(view) });
    const size = Math.min(weightOfSpace(home.contents) + views.calculatedSize, most);
    // A new value each time: the cache reads no other size of one it holds.
    kept.set(home.space_id, { home: home.contents, views }, { size });
    return view;
  };
}

const weightOf = ({ policies, places }: View): number =>
  places.reduce(
    (sum, { contents }) => sum + ITEM_WEIGHT * contents.items.length,
    VIEW_WEIGHT + JSON.stringify(policies).length,
  );

const isSameView = (one: View, other: View): boolean =>
  one.connected === other.connected &&
  one.places.length === other.places.length &&
  one.places.every((place, index) => isSamePlace(place, other.places[index]!)) &&
  isSameSet(one.capabilities, other.capabilities) &&
  isSameSet(one.permissions, other.permissions) &&
  policyFamilies.every((family) => isSamePolicy(one.policies[family], other.policies[family]));

const isSamePlace = (one: Place, other: Place): boolean =>
  one.contents === other.contents &&
  one.prefix.uri === other.prefix.uri &&
  one.exposure === other.exposure;

const policyFamilies = [
  'tool',
  'prompt',
  'resource',
  'agent',
] as const satisfies (keyof Policies)[];

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one === other || (one.size === other.size && one.isSubsetOf(other));

/** A mode, and lists of texts by their names. */
type Stored = Readonly<Record<string, unknown>>;

function isSamePolicy(one: Stored, other: Stored): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => isSameValue(one[name], other[name]))
  );
}

function isSameValue(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((entry, index) => entry === other[index]);
}

type ListOf = <F extends Family>(view: View, family: F) => readonly ItemOf[F][];

/** A view is never changed, so each of its lists is decided once, when it is first asked for. */
export function createKeptLists(decided: ListOf): ListOf {
  const kept = new WeakMap<View, Map<Family, readonly Item[]>>();
  return <F extends Family>(view: View, family: F) => {
    let lists = kept.get(view);
    if (lists === undefined) kept.set(view, (lists = new Map()));
    let list = lists.get(family);
    if (list === undefined) lists.set(family, (list = decided(view, family)));
    return list as readonly ItemOf[F][];
  };
}

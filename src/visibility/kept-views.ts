import { LRUCache } from 'lru-cache';
import { personOf } from '../caller/principal.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import type { Family } from '../content/items/schema.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';
import type { Policies, View } from './decide.ts';
import type { Item, ItemOf } from './item.ts';
import { weightOfSpace } from './kept-spaces.ts';

// Of all accounts, their spaces among it, and of one: an account may have a thousand keys, each with
// patterns of a hundred kilobytes.
const MOST_CHARACTERS = 100_000_000;
const MOST_OF_ONE = 4_000_000;
// Of a view whose policies say nothing, and of an item in its lists.
const VIEW_WEIGHT = 1_000;
const ITEM_WEIGHT = 10;

/** Views of one state of an account's space, by key. */
interface ViewsOf {
  space: SpaceContents;
  views: LRUCache<string, View>;
}

/**
 * The view of a key stays one object while everything it is made of stays the same, so that what
 * follows from it can be kept beside it. Views go with the state of the space they are of.
 */
export function createKeptViews({ most = MOST_CHARACTERS, mostOfOne = MOST_OF_ONE } = {}) {
  const kept = new LRUCache<string, ViewsOf>({ maxSize: most });

  function viewsOf(account_id: string, space: SpaceContents): ViewsOf['views'] {
    const known = kept.get(account_id);
    return known?.space === space ? known.views : new LRUCache({ maxSize: mostOfOne });
  }

  /** The view kept for the key where it says the same as this one. */
  return function keptView(
    principal: Pick<AgentPrincipal, 'person' | 'credential'>,
    view: View,
  ): View {
    const account_id = personOf(principal);
    const { id: key_id } = principal.credential;
    const { space } = view;
    const views = viewsOf(account_id, space);
    const known = views.get(key_id);
    if (known !== undefined && isSameView(known, view)) return known;
    views.set(key_id, view, { size: weightOf(view) });
    const size = Math.min(weightOfSpace(space) + views.calculatedSize, most);
    // A new value each time: the cache reads no other size of one it holds.
    kept.set(account_id, { space, views }, { size });
    return view;
  };
}

const weightOf = ({ policies, space }: View): number =>
  VIEW_WEIGHT + ITEM_WEIGHT * space.items.length + JSON.stringify(policies).length;

/** Of one space. */
const isSameView = (one: View, other: View): boolean =>
  one.connected === other.connected &&
  isSameSet(one.capabilities, other.capabilities) &&
  isSameSet(one.permissions, other.permissions) &&
  policyFamilies.every((family) => isSamePolicy(one.policies[family], other.policies[family]));

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

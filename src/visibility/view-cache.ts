import { LRUCache } from 'lru-cache';
import type { AgentPrincipal } from '../caller/principal.ts';
import type { Family } from '../content/items/schema.ts';
import type { SpaceContents } from '../content/content.ts';
import type { Policies } from '../policies/item-policies.ts';
import type { View } from './decide.ts';
import type { ExposingTeam, Exposure, Place } from './place.ts';
import type { Item, ItemOf } from './item.ts';
import { ITEM_WEIGHT, weightOfExposure, weightOfPolicies, weightOfSpace } from './weights.ts';

// Limits in characters: in total (spaces included), and per home space. An account may have a
// thousand keys, each with patterns of a hundred kilobytes.
const MAX_CHARACTERS = 100_000_000;
const MAX_PER_HOME = 4_000_000;
// Weight of an empty view.
const VIEW_WEIGHT = 1_000;

/** Cached views with the same home, for one state of that home. */
interface HomeViews {
  home: SpaceContents;
  views: LRUCache<string, View>;
}

/**
 * Caches the view of a credential, so that it stays the same object while unchanged and derived
 * values can be cached by it. Views are grouped by home space and found by credential, so that a
 * person's credentials in several places do not evict each other.
 */
export function createViewCache({ maxSize = MAX_CHARACTERS, maxSizePerHome = MAX_PER_HOME } = {}) {
  const cache = new LRUCache<string, HomeViews>({ maxSize });

  function viewsOf({ space_id, contents }: Place): HomeViews['views'] {
    const cached = cache.get(space_id);
    return cached?.home === contents ? cached.views : new LRUCache({ maxSize: maxSizePerHome });
  }

  /** Returns the cached view of the credential if it equals this one, else caches this one. */
  return function cachedView({ credential }: Pick<AgentPrincipal, 'credential'>, view: View): View {
    const [home] = view.places;
    const views = viewsOf(home);
    const cached = views.get(credential.id);
    if (cached !== undefined && isSameView(cached, view)) return cached;
    views.set(credential.id, view, { size: weightOf(view) });
    const size = Math.min(weightOfSpace(home.contents) + views.calculatedSize, maxSize);
    // A new object each time, since the cache does not update the size of a value it already has.
    cache.set(home.space_id, { home: home.contents, views }, { size });
    return view;
  };
}

const weightOf = ({ policies, places }: View): number =>
  places.reduce(
    (sum, { contents, exposure }) =>
      sum + ITEM_WEIGHT * contents.items.length + (exposure ? weightOfExposure(exposure) : 0),
    VIEW_WEIGHT + weightOfPolicies(policies),
  );

const isSameView = (one: View, other: View): boolean =>
  one.connected === other.connected &&
  isSamePlaces(one.places, other.places) &&
  isSameSet(one.capabilities, other.capabilities) &&
  isSameSet(one.permissions, other.permissions) &&
  isSamePolicies(one.policies, other.policies);

const isSamePlaces = (one: View['places'], other: View['places']): boolean =>
  one === other ||
  (one.length === other.length && one.every((place, index) => isSamePlace(place, other[index]!)));

const isSamePlace = (one: Place, other: Place): boolean =>
  one.contents === other.contents &&
  one.prefix.uri === other.prefix.uri &&
  isSameExposure(one.exposure, other.exposure);

function isSameExposure(one: Exposure | null, other: Exposure | null): boolean {
  if (one === null || other === null || one === other) return one === other;
  return (
    isSameSet(one.designated, other.designated) &&
    one.teams.length === other.teams.length &&
    one.teams.every((team, index) => isSameTeam(team, other.teams[index]!))
  );
}

const isSameTeam = (one: ExposingTeam, other: ExposingTeam): boolean =>
  one.id === other.id && one.name === other.name && isSamePolicies(one.policies, other.policies);

const policyFamilies = [
  'tool',
  'prompt',
  'resource',
  'agent',
] as const satisfies (keyof Policies)[];

const isSamePolicies = (one: Policies, other: Policies): boolean =>
  policyFamilies.every((family) => isSamePolicy(one[family], other[family]));

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one === other || (one.size === other.size && one.isSubsetOf(other));

/** A mode, and lists of strings by name. */
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

/** Caches the lists of a view: a view never changes, so each list is decided once, on first use. */
export function createListCache(decided: ListOf): ListOf {
  const listsByView = new WeakMap<View, Map<Family, readonly Item[]>>();
  return <F extends Family>(view: View, family: F) => {
    let lists = listsByView.get(view);
    if (lists === undefined) listsByView.set(view, (lists = new Map()));
    let list = lists.get(family);
    if (list === undefined) lists.set(family, (list = decided(view, family)));
    return list as readonly ItemOf[F][];
  };
}

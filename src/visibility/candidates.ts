import { isReservedToolName } from '../catalog/catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { families } from '../content/items/schema.ts';
import type { Prefix, SpaceContents, StoredItem } from '../content/content.ts';
import type { Family } from '../content/items/schema.ts';
import { addressOf, ownItem, platformPromptItem, toolItem } from './item.ts';
import type { Item, ItemOf, Runnable, ToolItem } from './item.ts';
import type { View } from './decide.ts';
import type { Place } from './place.ts';

/** Items of one or more places, by family. */
type ItemIndexes = { readonly [F in Family]: ItemIndex<ItemOf[F]> };

interface Candidates {
  prefix: Prefix;
  indexes: ItemIndexes;
  /** Whether an own item already had the name when a release added this one (decisions/0019). */
  isShadowed(item: Item): boolean;
  guarded: readonly ToolItem[];
}

interface ItemIndex<One> {
  /** Sorted by address. */
  readonly items: readonly One[];
  byAddress(address: string): One | undefined;
  byId(id: string): One | undefined;
}

/**
 * Builds the candidates of a space once for each of its states. Only candidates can be allowed, and
 * they are few, since they include only the built-in items that are selected (S8).
 */
export function createCandidates(
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'version'>,
  runnable: Runnable,
) {
  const tools = new Map(
    catalog
      .tools()
      .filter((tool) => tool.deprecated !== true)
      .map((tool) => [tool.name, toolItem(tool, catalog.version)]),
  );
  const prompts = new Map(
    catalog
      .prompts()
      .filter((prompt) => prompt.deprecated !== true)
      .map((prompt) => [prompt.name, platformPromptItem(prompt, catalog.version)]),
  );
  const none: ReadonlyMap<string, Item> = new Map();
  const builtIns: Record<Family, ReadonlyMap<string, Item>> = {
    tool: tools,
    prompt: prompts,
    resource: none,
    agent: none,
  };
  const cache = new WeakMap<SpaceContents, Candidates>();

  function build({ contents, prefix }: Place): Candidates {
    const own = contents.items
      .filter(hasOwnName)
      .map((stored) => ownItem(stored, prefix, runnable));
    const taken = new Set(own.map(namedOf));
    const isShadowed = (item: Item) => taken.has(namedOf(item));
    const chosen = [
      ...tools.values().filter(({ id }) => contents.selected_tools.has(id)),
      ...prompts.values().filter(({ id }) => contents.selected_prompts.has(id)),
    ];
    const all: Item[] = [...chosen.filter((item) => !isShadowed(item)), ...own];
    return {
      prefix,
      indexes: byFamily((family) => indexFamily(all, family)),
      isShadowed,
      guarded: all.filter(isGuarded),
    };
  }

  function candidates(place: Place): Candidates {
    const cached = cache.get(place.contents);
    if (cached?.prefix.uri === place.prefix.uri) return cached;
    const built = build(place);
    cache.set(place.contents, built);
    return built;
  }

  const indexesOfView = createJoined((place) => candidates(place).indexes);

  return {
    indexesOf: indexesOfView,
    /** Returns the candidates of the view's home that need a permission. */
    guardedTools: ({ places: [home] }: Pick<View, 'places'>): readonly ToolItem[] =>
      candidates(home).guarded,
    /** Every built-in tool that needs a permission, selected or not. */
    guardedBuiltIn: [...tools.values()].filter(isGuarded),
    /**
     * Returns the candidates and the built-in items that are not selected, sorted by address: all
     * items that people with access to the space may know of.
     */
    allItems<F extends Family>(view: View, family: F): ItemOf[F][] {
      const { isShadowed } = candidates(view.places[0]);
      const { items, byId } = indexesOfView(view)[family];
      const rest = builtIns[family]
        .values()
        .filter((item) => byId(item.id) === undefined && !isShadowed(item));
      return [...items, ...(rest as Iterable<ItemOf[F]>)].toSorted(byAddress);
    },
    /** Finds a built-in item, selected or not: the decision says why it is denied. */
    builtIn: <F extends Family>(family: F, name: string): ItemOf[F] | null =>
      (builtIns[family].get(name) as ItemOf[F] | undefined) ?? null,
  };
}

/** Joins the places of a view once; a view of one place needs no join. */
function createJoined(indexesAt: (place: Place) => ItemIndexes): (view: View) => ItemIndexes {
  const joined = new WeakMap<View, ItemIndexes>();
  return (view) => {
    if (view.places.length === 1) return indexesAt(view.places[0]);
    let cached = joined.get(view);
    if (cached === undefined) {
      const parts = view.places.map(indexesAt);
      joined.set(view, (cached = byFamily((family) => join(parts.map((part) => part[family])))));
    }
    return cached;
  };
}

/**
 * Joins indexes whose addresses differ. A call looks up one item, so the items are sorted together
 * only when they are listed.
 */
function join(parts: readonly ItemIndex<Item>[]): ItemIndex<Item> {
  let items: readonly Item[] | undefined;
  const first = (find: (part: ItemIndex<Item>) => Item | undefined) =>
    parts
      .values()
      .map(find)
      .find((item) => item !== undefined);
  return {
    get items() {
      return (items ??= parts.flatMap((part) => part.items).toSorted(byAddress));
    },
    byAddress: (address) => first((part) => part.byAddress(address)),
    byId: (id) => first((part) => part.byId(id)),
  };
}

const namedOf = ({ family, name }: Pick<Item, 'family' | 'name'>) => `${family} ${name}`;

/** Excludes custom tools with the name of a tool of the gateway itself (decisions/0019). */
export const hasOwnName = ({ family, name }: Pick<StoredItem, 'family' | 'name'>) =>
  family !== 'tool' || !isReservedToolName(name);

const isGuarded = (item: Item): item is ToolItem =>
  item.family === 'tool' && item.requires.permission !== undefined;

const byFamily = (indexOf: (family: Family) => ItemIndex<Item>) =>
  Object.fromEntries(families.map((family) => [family, indexOf(family)])) as unknown as ItemIndexes;

function indexFamily(all: readonly Item[], family: Family): ItemIndex<Item> {
  const items = all.filter((item) => item.family === family).toSorted(byAddress);
  const addresses = new Map(items.map((item) => [addressOf(item), item]));
  const ids = new Map(items.map((item) => [item.id, item]));
  return { items, byAddress: (address) => addresses.get(address), byId: (id) => ids.get(id) };
}

const byAddress = (one: Item, other: Item) => (addressOf(one) < addressOf(other) ? -1 : 1);

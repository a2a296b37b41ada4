import { systemToolNames } from '../catalog/catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { families } from '../content/items/schema.ts';
import type { StoredItem } from '../content/items/items.ts';
import type { Family } from '../content/items/schema.ts';
import { addressOf, ownItem, platformPromptItem, toolItem } from './item.ts';
import type { Item, ItemOf, Runnable, ToolItem } from './item.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';
import type { View } from './decide.ts';
import type { Place, Prefix } from './place.ts';

/** Items of one or more places, by family: sorted by address, and indexed by address and id. */
type ItemIndexes = { readonly [F in Family]: ItemIndex<ItemOf[F]> };

interface Candidates {
  prefix: Prefix;
  indexes: ItemIndexes;
  /** Whether an own item already had the name when a release added this one (decisions/0019). */
  isShadowed(item: Item): boolean;
  guarded: readonly ToolItem[];
}

interface ItemIndex<One> {
  items: readonly One[];
  byAddress: ReadonlyMap<string, One>;
  byId: ReadonlyMap<string, One>;
}

/**
 * Builds the candidates of a space once for each state of it. Only candidates can be allowed, and
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
  const prompts = catalog
    .prompts()
    .filter((prompt) => prompt.deprecated !== true)
    .map((prompt) => platformPromptItem(prompt, catalog.version));
  const builtInItems: Record<Family, readonly Item[]> = {
    tool: [...tools.values()],
    prompt: prompts,
    resource: [],
    agent: [],
  };
  const cache = new WeakMap<SpaceContents, Candidates>();

  function build({ contents, prefix }: Place): Candidates {
    const own = contents.items
      .filter(isNotSystemTool)
      .map((stored) => ownItem(stored, prefix, runnable));
    const taken = new Set(own.map(namedOf));
    const isShadowed = (item: Item) => taken.has(namedOf(item));
    const chosen = [
      ...tools.values().filter(({ id }) => contents.selected_tools.has(id)),
      ...prompts.filter(({ id }) => contents.selected_prompts.has(id)),
    ];
    const all: Item[] = [...chosen.filter((item) => !isShadowed(item)), ...own];
    return {
      prefix,
      indexes: indexesOf(all),
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

  const of = createMerged((place) => candidates(place).indexes);

  return {
    of,
    /** Returns the candidates of the view's home that need a permission. */
    guarded: ({ places: [home] }: Pick<View, 'places'>): readonly ToolItem[] =>
      candidates(home).guarded,
    /**
     * Returns the candidates and the built-in items that are not selected, sorted by address: all
     * items that the people of a space may know of.
     */
    everything<F extends Family>(view: View, family: F): ItemOf[F][] {
      const { isShadowed } = candidates(view.places[0]);
      const { items, byId } = of(view)[family];
      const rest = builtInItems[family].filter((item) => !byId.has(item.id) && !isShadowed(item));
      return [...items, ...(rest as ItemOf[F][])].toSorted(byAddress);
    },
    /** Finds a built-in tool, selected or not: naming one may reveal that it is not permitted. */
    builtInTool: (name: string): ToolItem | null => tools.get(name) ?? null,
  };
}

/** Merges the places of a view once; a view of one place needs no merge. */
function createMerged(indexesAt: (place: Place) => ItemIndexes): (view: View) => ItemIndexes {
  const merged = new WeakMap<View, ItemIndexes>();
  return (view) => {
    if (view.places.length === 1) return indexesAt(view.places[0]);
    let cached = merged.get(view);
    if (cached === undefined) {
      const all = view.places
        .map(indexesAt)
        .flatMap((indexes) => families.flatMap((family): readonly Item[] => indexes[family].items));
      merged.set(view, (cached = indexesOf(all)));
    }
    return cached;
  };
}

const namedOf = ({ family, name }: Pick<Item, 'family' | 'name'>) => `${family} ${name}`;

/** Excludes custom tools named like system tools, which every credential has (C1). */
export const isNotSystemTool = ({ family, name }: Pick<StoredItem, 'family' | 'name'>) =>
  family !== 'tool' || !systemToolNames.some((one) => one === name);

const isGuarded = (item: Item): item is ToolItem =>
  item.family === 'tool' && item.requires.permission !== undefined;

function indexesOf(all: readonly Item[]): ItemIndexes {
  const indexes = families.map((family) => [family, indexFor(all, family)] as const);
  return Object.fromEntries(indexes) as unknown as ItemIndexes;
}

function indexFor(all: readonly Item[], family: Family): ItemIndex<Item> {
  const items = all.filter((item) => item.family === family).toSorted(byAddress);
  return {
    items,
    byAddress: new Map(items.map((item) => [addressOf(item), item])),
    byId: new Map(items.map((item) => [item.id, item])),
  };
}

const byAddress = (one: Item, other: Item) => (addressOf(one) < addressOf(other) ? -1 : 1);

import { systemToolNames } from '../catalog/catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { families } from '../content/items/schema.ts';
import type { StoredItem } from '../content/items/items.ts';
import type { Family } from '../content/items/schema.ts';
import { ownItem, platformPromptItem, toolItem } from './item.ts';
import type { Item, ItemOf, Runnable, ToolItem } from './item.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';
import type { View } from './decide.ts';
import type { Place, Prefix } from './place.ts';

/** Items of one place or several, by family: in the order of names, and by the name MCP uses. */
type Shelves = { readonly [F in Family]: Shelf<ItemOf[F]> };

interface Candidates {
  prefix: Prefix;
  shelves: Shelves;
  /** What a later release brought under a name the account gave before (decisions/0019). */
  isShadowed(item: Item): boolean;
  guarded: readonly ToolItem[];
}

interface Shelf<One> {
  items: readonly One[];
  /** Resources by their URI. */
  byName: ReadonlyMap<string, One>;
  byId: ReadonlyMap<string, One>;
}

/**
 * The candidates of a space, made once for each state of it: nothing else can be allowed, and a
 * selection is short where the catalogue is long (S8).
 */
export function createShelves(
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
  const brought: Record<Family, readonly Item[]> = {
    tool: [...tools.values()],
    prompt: prompts,
    resource: [],
    agent: [],
  };
  const kept = new WeakMap<SpaceContents, Candidates>();

  function build({ contents, prefix }: Place): Candidates {
    const own = contents.items
      .filter(isNoSystemTool)
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
      shelves: shelvesOf(all),
      isShadowed,
      guarded: all.filter(isGuarded),
    };
  }

  function candidates(place: Place): Candidates {
    const known = kept.get(place.contents);
    if (known?.prefix.uri === place.prefix.uri) return known;
    const built = build(place);
    kept.set(place.contents, built);
    return built;
  }

  const of = createMerged((place) => candidates(place).shelves);

  return {
    of,
    /** The tools among them that need a permission. */
    guarded: ({ places: [home] }: Pick<View, 'places'>): readonly ToolItem[] =>
      candidates(home).guarded,
    /** Selected or not, in the order of names: what the people of a space may know of. */
    everything<F extends Family>(view: View, family: F): ItemOf[F][] {
      const { isShadowed } = candidates(view.places[0]);
      const { items, byId } = of(view)[family];
      const rest = brought[family].filter((item) => !byId.has(item.id) && !isShadowed(item));
      return [...items, ...(rest as ItemOf[F][])].toSorted(byName);
    },
    /** Selected or not: whoever names one is told that it is not permitted. */
    builtInTool: (name: string): ToolItem | null => tools.get(name) ?? null,
  };
}

/** Merges the places of a view once; a view of one place costs nothing more. */
function createMerged(shelvesAt: (place: Place) => Shelves): (view: View) => Shelves {
  const merged = new WeakMap<View, Shelves>();
  return (view) => {
    if (view.places.length === 1) return shelvesAt(view.places[0]);
    let known = merged.get(view);
    if (known === undefined) {
      const all = view.places
        .map(shelvesAt)
        .flatMap((shelves) => families.flatMap((family): readonly Item[] => shelves[family].items));
      merged.set(view, (known = shelvesOf(all)));
    }
    return known;
  };
}

const namedOf = ({ family, name }: Pick<Item, 'family' | 'name'>) => `${family} ${name}`;

/** Every credential has the system tools by their names (C1). */
export const isNoSystemTool = ({ family, name }: Pick<StoredItem, 'family' | 'name'>) =>
  family !== 'tool' || !systemToolNames.some((one) => one === name);

const isGuarded = (item: Item): item is ToolItem =>
  item.family === 'tool' && item.requires.permission !== undefined;

function shelvesOf(all: readonly Item[]): Shelves {
  const shelves = families.map((family) => [family, shelfOf(all, family)] as const);
  return Object.fromEntries(shelves) as unknown as Shelves;
}

function shelfOf(all: readonly Item[], family: Family): Shelf<Item> {
  const items = all.filter((item) => item.family === family).toSorted(byName);
  return {
    items,
    byName: new Map(items.map((item) => [item.family === 'resource' ? item.uri : item.name, item])),
    byId: new Map(items.map((item) => [item.id, item])),
  };
}

const byName = (one: Item, other: Item) => (one.name < other.name ? -1 : 1);

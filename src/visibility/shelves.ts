import { systemToolNames } from '../catalog/catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { families } from '../content/items/schema.ts';
import type { StoredItem } from '../content/items/items.ts';
import type { Family } from '../content/items/schema.ts';
import { ownItem, platformPromptItem, toolItem } from './item.ts';
import type { Item, ItemOf, Runnable, ToolItem } from './item.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';

/** What a caller of one space could be shown, by family: in the order of names, and by name. */
type Shelves = { readonly [F in Family]: Shelf<ItemOf[F]> };

interface Candidates {
  shelves: Shelves;
  /** What a later release brought under a name the account gave before (decisions/0019). */
  isShadowed(item: Item): boolean;
  guarded: readonly ToolItem[];
}

interface Shelf<One> {
  items: readonly One[];
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

  function build(space: SpaceContents): Candidates {
    const own = space.items.filter(isNoSystemTool).map((stored) => ownItem(stored, runnable));
    const taken = new Set(own.map(namedOf));
    const isShadowed = (item: Item) => taken.has(namedOf(item));
    const chosen = [
      ...tools.values().filter(({ id }) => space.selected_tools.has(id)),
      ...prompts.filter(({ id }) => space.selected_prompts.has(id)),
    ];
    const all: Item[] = [...chosen.filter((item) => !isShadowed(item)), ...own];
    const shelves = families.map((family) => [family, shelfOf(all, family)] as const);
    return {
      shelves: Object.fromEntries(shelves) as unknown as Shelves,
      isShadowed,
      guarded: all.filter(isGuarded),
    };
  }

  function candidates(space: SpaceContents): Candidates {
    let known = kept.get(space);
    if (known === undefined) kept.set(space, (known = build(space)));
    return known;
  }
  const of = (space: SpaceContents): Shelves => candidates(space).shelves;

  return {
    of,
    /** The tools among them that need a permission. */
    guarded: (space: SpaceContents): readonly ToolItem[] => candidates(space).guarded,
    /** Selected or not, in the order of names: what the people of a space may know of. */
    everything<F extends Family>(space: SpaceContents, family: F): ItemOf[F][] {
      const { shelves, isShadowed } = candidates(space);
      const { items, byId } = shelves[family];
      const rest = brought[family].filter((item) => !byId.has(item.id) && !isShadowed(item));
      return [...items, ...(rest as ItemOf[F][])].toSorted(byName);
    },
    /** Selected or not: whoever names one is told that it is not permitted. */
    builtInTool: (name: string): ToolItem | null => tools.get(name) ?? null,
  };
}

const namedOf = ({ family, name }: Pick<Item, 'family' | 'name'>) => `${family} ${name}`;

/** Every credential has the system tools by their names (C1). */
export const isNoSystemTool = ({ family, name }: Pick<StoredItem, 'family' | 'name'>) =>
  family !== 'tool' || !systemToolNames.some((one) => one === name);

const isGuarded = (item: Item): item is ToolItem =>
  item.family === 'tool' && item.requires.permission !== undefined;

function shelfOf(all: readonly Item[], family: Family): Shelf<Item> {
  const items = all.filter((item) => item.family === family).toSorted(byName);
  return {
    items,
    byName: new Map(items.map((item) => [item.name, item])),
    byId: new Map(items.map((item) => [item.id, item])),
  };
}

const byName = (one: Item, other: Item) => (one.name < other.name ? -1 : 1);

import type { ToolListing } from '../caller/schema.ts';
import { searchTools, systemTools } from '../catalog/catalog.ts';
import { families } from '../content/items/schema.ts';
import type { Family } from '../content/items/schema.ts';
import type { Steps } from '../platform/concurrency/turns.ts';
import type { HiddenReason } from '../visibility/schema.ts';
import type { Item, View, Visibility } from '../visibility/visibility.ts';
import type { IsKnown } from './known-items.ts';

/** An item in a preview. */
export interface NamedItem {
  id: string;
  name: string;
  system?: true;
}

/** An item that the viewer may know of; visible if nothing is against it. */
export interface KnownItem extends NamedItem {
  /** Null for a system tool. */
  item: Item | null;
  because: readonly HiddenReason[];
}

/** The known items of each family, in the order of the lists. */
export type KnownItems = Record<Family, readonly KnownItem[]>;

/** A view, and what the person it is shown to may know of its items. */
export interface Viewed {
  view: View;
  isKnown: IsKnown;
  /** How the credential lists its tools; `all` if it is not given. */
  tool_listing?: ToolListing;
}

// An organization may have thousands of items, and 200 teams whose policies decide on each.
const ITEMS_IN_A_STEP = 100;

/** Returns the items of each family that the viewer may know of, with all reasons against them. */
export function* knownItems(
  visibility: Pick<Visibility, 'allItems' | 'reasonsAgainst'>,
  { view, isKnown, tool_listing = 'all' }: Viewed,
): Steps<KnownItems> {
  const found: Record<Family, KnownItem[]> = {
    ...{ tool: ownTools(view, tool_listing), prompt: [], resource: [], agent: [] },
  };
  for (const family of families) {
    for (const [index, item] of visibility.allItems(view, family).entries()) {
      if (index % ITEMS_IN_A_STEP === 0) yield;
      const because = visibility.reasonsAgainst(view, item);
      const { id, name } = item;
      if (isKnown(view, item, because)) found[family].push({ id, name, item, because });
    }
    yield;
  }
  return found;
}

/** Returns the tools of the gateway itself that a credential has. */
function ownTools({ connected, capabilities }: View, tool_listing: ToolListing): KnownItem[] {
  if (!connected) return [];
  const isSearching = tool_listing === 'search' && capabilities.has('tools');
  return [...SYSTEM_TOOLS, ...(isSearching ? SEARCH_TOOLS : [])];
}

const knownTools = (ids: Readonly<Record<string, string>>): readonly KnownItem[] =>
  Object.entries(ids).map(([name, id]) => ({
    ...{ id, name, item: null, because: [] },
    system: true,
  }));

const SYSTEM_TOOLS = knownTools(systemTools);
const SEARCH_TOOLS = knownTools(searchTools);

export const isVisible = ({ because }: KnownItem): boolean => because.length === 0;

import type { Restrictions } from '../caller/restrictions/schema.ts';
import type { ToolListing } from '../caller/schema.ts';
import { families } from '../content/items/schema.ts';
import type { Family } from '../content/items/schema.ts';
import { portabilityWarnings } from '../content/content.ts';
import { inTurns } from '../platform/concurrency/turns.ts';
import type { Steps } from '../platform/concurrency/turns.ts';
import { invalidCursor, pageOfList } from '../platform/http/pages.ts';
import type { PreviewPage } from '../visibility/schema.ts';
import type { ToolItem, View, Visibility } from '../visibility/visibility.ts';
import {
  manyTools,
  restrictedUse,
  unavailableAgent,
  unmatchedPolicies,
  unselectedItems,
} from './access-warnings.ts';
import { createFixUrls } from './fix-url.ts';
import type { FixUrlOf, Previewed } from './fix-url.ts';
import { isVisible, knownItems } from './listed-items.ts';
import type { KnownItem, KnownItems, NamedItem } from './listed-items.ts';
import type { IsKnown } from './known-items.ts';
import type { Preview } from './schema.ts';

export interface ShownItemsDependencies {
  visibility: Pick<Visibility, 'allItems' | 'reasonsAgainst' | 'reach'>;
  /** Estimates the size of `tools/list` of a credential that may call these tools. */
  listTokens(
    tools: readonly ToolItem[],
    credential: Pick<Shown, 'view' | 'tool_listing'>,
  ): Steps<number>;
  dashboardUrl: string;
}

/** What is shown, the person it is shown to, and which part of it. */
export interface Shown {
  view: View;
  previewed: Previewed;
  default_agent_id: string | null;
  /** From where and when the credential works. */
  restrictions?: Restrictions | null;
  tool_listing: ToolListing;
  isKnown: IsKnown;
  fairnessKey: string;
  page: PreviewPage | null;
}

/** What a view shows, and all items from which it was chosen. */
export interface ShownItems {
  seen: Omit<Preview, 'errors'>;
  known: KnownItems;
}

// Maximum length of each list; `counts` has the totals.
const MAX_ITEMS = 1_000;

/** Creates a function that returns what a view shows, and the known items that it hides. */
export function createShownItems(dependencies: ShownItemsDependencies) {
  const { visibility, listTokens, dashboardUrl } = dependencies;

  function* warningsOf(
    { view, isKnown, default_agent_id, tool_listing, restrictions = null }: Shown,
    known: KnownItems,
    tools: readonly ToolItem[],
  ): Steps<Preview['warnings']> {
    const restricted = restrictedUse(restrictions, new Date());
    // Where nothing is listed, no policy or agent is at fault.
    if (!view.connected) return restricted;
    return [
      ...restricted,
      ...(tool_listing === 'search' ? [] : manyTools(known.tool.filter(isVisible).length)),
      ...unmatchedPolicies(view, known),
      ...unselectedItems(view, known),
      ...unavailableAgent(visibility, { view, isKnown }, default_agent_id),
      ...(yield* toolWarnings(tools)),
    ];
  }

  function* describe(shown: Shown): Steps<ShownItems> {
    const { view, previewed, page, tool_listing } = shown;
    const known = yield* knownItems(visibility, shown);
    const tools = known.tool.flatMap((one) =>
      one.item?.family === 'tool' && isVisible(one) ? [one.item] : [],
    );
    const fixUrlOf = createFixUrls(dashboardUrl, previewed);
    return {
      known,
      seen: {
        ...partOf(known, page, (family, one) => hiddenOf(view, fixUrlOf, family, one)),
        counts: {
          visible: byFamily((family) => known[family].filter(isVisible).length),
          hidden: families.reduce((sum, family) => sum + known[family].filter(isHidden).length, 0),
        },
        warnings: yield* warningsOf(shown, known, tools),
        tool_listing,
        list_tokens: yield* listTokens(tools, shown),
      },
    };
  }

  return (shown: Shown): Promise<ShownItems> => inTurns(shown.fairnessKey, describe(shown));
}

export type ShownIn = ReturnType<typeof createShownItems>;

/**
 * Returns the visible items that a view has, and lacks, in comparison with an earlier one. Lists
 * have at most `max` entries; `counts` has the totals.
 */
export function differenceOf(before: KnownItems, after: KnownItems, max = MAX_ITEMS) {
  const [earlier, later] = [visibleIn(before), visibleIn(after)];
  const gained = byFamily((family) => without(later(family), earlier(family)));
  const lost = byFamily((family) => without(earlier(family), later(family)));
  return {
    gained: mapFamilies(gained, (items) => items.slice(0, max).map(nameOf)),
    lost: mapFamilies(lost, (items) => items.slice(0, max).map(nameOf)),
    counts: {
      gained: mapFamilies(gained, ({ length }) => length),
      lost: mapFamilies(lost, ({ length }) => length),
    },
  };
}

const visibleIn = (known: KnownItems) => (family: Family) => known[family].filter(isVisible);

function without(items: readonly KnownItem[], others: readonly KnownItem[]): readonly KnownItem[] {
  const ids = new Set(others.map(({ id }) => id));
  return items.filter(({ id }) => !ids.has(id));
}

const isHidden = (one: KnownItem): boolean => !isVisible(one);

type Hidden = Preview['hidden'][number];

/** Returns the beginning of every list, or a page of the items of one family. */
function partOf(
  known: KnownItems,
  page: PreviewPage | null,
  hiddenAs: (family: Family, one: KnownItem) => Hidden,
): Pick<Preview, 'visible' | 'hidden' | 'next_cursor'> {
  if (page !== null) return pageIn(known, page, hiddenAs);
  const hidden = families.flatMap((family) =>
    known[family].filter(isHidden).map((one) => ({ family, one })),
  );
  return {
    visible: byFamily((family) => known[family].filter(isVisible).slice(0, MAX_ITEMS).map(nameOf)),
    hidden: hidden.slice(0, MAX_ITEMS).map(({ family, one }) => hiddenAs(family, one)),
    next_cursor: null,
  };
}

/** Returns a page; its cursor names the family, so that it continues no other. */
function pageIn(
  known: KnownItems,
  { family, cursor, limit }: PreviewPage,
  hiddenAs: (family: Family, one: KnownItem) => Hidden,
): Pick<Preview, 'visible' | 'hidden' | 'next_cursor'> {
  const own = `${family} `;
  if (cursor?.startsWith(own) === false) throw invalidCursor();
  const position = cursor === undefined ? {} : { cursor: cursor.slice(own.length) };
  const { data, next_cursor } = pageOfList(known[family], { limit, ...position });
  return {
    visible: byFamily((one) => (one === family ? data.filter(isVisible).map(nameOf) : [])),
    hidden: data.filter(isHidden).map((one) => hiddenAs(family, one)),
    next_cursor: next_cursor === null ? null : own + next_cursor,
  };
}

/** Collects what model APIs refuse about the visible tools. */
function* toolWarnings(tools: readonly ToolItem[]): Steps<Preview['warnings']> {
  const found: Preview['warnings'] = [];
  for (const { id, name, input_schema } of tools) {
    for (const { detail, ...warning } of portabilityWarnings(name, input_schema))
      found.push({ ...warning, detail: { ...detail, tool: { id, name } } });
    if (found.length >= MAX_ITEMS) break;
    yield;
  }
  return found.slice(0, MAX_ITEMS);
}

const nameOf = ({ id, name, system }: NamedItem): NamedItem => ({
  id,
  name,
  ...(system === true ? { system } : {}),
});
const hiddenOf = (
  view: View,
  fixUrlOf: FixUrlOf,
  family: Family,
  { id, name, item, because }: KnownItem,
): Hidden => ({
  ...{ family, id, name, because: [...because] },
  fix_url: item && fixUrlOf(view, item, because),
});

const byFamily = <Value>(valueOf: (family: Family) => Value) => ({
  tools: valueOf('tool'),
  prompts: valueOf('prompt'),
  resources: valueOf('resource'),
  agents: valueOf('agent'),
});

const mapFamilies = <From, To>(
  all: ReturnType<typeof byFamily<From>>,
  to: (value: From) => To,
): ReturnType<typeof byFamily<To>> => ({
  tools: to(all.tools),
  prompts: to(all.prompts),
  resources: to(all.resources),
  agents: to(all.agents),
});

import { systemTools } from '../catalog/catalog.ts';
import { families } from '../content/items/schema.ts';
import type { Family } from '../content/items/schema.ts';
import { portabilityWarnings } from '../content/tools/tools.ts';
import { inTurns } from '../platform/concurrency/turns.ts';
import type { Steps } from '../platform/concurrency/turns.ts';
import { pageOfList } from '../platform/http/pages.ts';
import type { HiddenReason, PreviewPage } from '../visibility/schema.ts';
import type { Item, ToolItem, View, Visibility } from '../visibility/visibility.ts';
import { manyTools, unavailableAgent, unmatchedPolicies } from './access-warnings.ts';
import { createFixUrls } from './fix-url.ts';
import type { FixUrlOf, Previewed } from './fix-url.ts';
import type { IsKnown } from './known-items.ts';
import type { Preview } from './schema.ts';

export interface ShownItemsDependencies {
  visibility: Pick<Visibility, 'list' | 'allItems' | 'reasonsAgainst' | 'reach'>;
  /** Estimates the size of `tools/list` with these tools; system tools are added if connected. */
  listTokens(tools: readonly ToolItem[], connected: boolean): number;
  dashboardUrl: string;
}

/** What is shown, the person it is shown to, and which part of it. */
export interface Shown {
  view: View;
  previewed: Previewed;
  default_agent_id: string | null;
  isKnown: IsKnown;
  fairnessKey: string;
  page: PreviewPage | null;
}

/** An item that the viewer may know of; visible if nothing is against it. */
interface ShownItem extends NamedItem {
  family: Family;
  because: HiddenReason[];
  fix_url: string | null;
}

// Maximum length of each list; `counts` has the totals.
const MAX_ITEMS = 1_000;

/** Creates a function that returns what a view shows, and the known items that it hides. */
export function createShownItems(dependencies: ShownItemsDependencies) {
  const { visibility, listTokens, dashboardUrl } = dependencies;
  return async function shownIn(shown: Shown): Promise<Omit<Preview, 'errors'>> {
    const { view, previewed, default_agent_id, isKnown, fairnessKey, page } = shown;
    const fixUrlOf = createFixUrls(dashboardUrl, previewed);
    const all = knownItems(visibility, { view, isKnown }, fixUrlOf);
    const tools = visibility.list(view, 'tool').filter((tool) => isKnown(view, tool));
    const counts = {
      visible: byFamily((family) => all[family].filter(isVisible).length),
      hidden: families.reduce((sum, family) => sum + all[family].filter(isHidden).length, 0),
    };
    return {
      ...partOf(all, page),
      counts,
      // Where nothing is listed, no policy or agent is at fault.
      warnings: !view.connected
        ? []
        : [
            ...manyTools(counts.visible.tools),
            ...unmatchedPolicies(visibility, view, isKnown),
            ...unavailableAgent(visibility, { view, isKnown }, default_agent_id),
            ...(await inTurns(fairnessKey, toolWarnings(tools))),
          ],
      list_tokens: listTokens(tools, view.connected),
    };
  };
}

type KnownItems = Record<Family, readonly ShownItem[]>;

/** Returns the items of each family that the viewer may know of, in the order of the lists. */
function knownItems(
  visibility: Pick<Visibility, 'list' | 'allItems' | 'reasonsAgainst'>,
  { view, isKnown }: { view: View; isKnown: IsKnown },
  fixUrlOf: FixUrlOf,
): KnownItems {
  const known = (family: Family): ShownItem[] => {
    const listed = new Set<Item>(visibility.list(view, family));
    return visibility
      .allItems(view, family)
      .filter((item) => isKnown(view, item))
      .map((item) => {
        const because = listed.has(item) ? [] : visibility.reasonsAgainst(view, item);
        const { id, name } = item;
        return { id, name, family, because, fix_url: fixUrlOf(view, item, because) };
      });
  };
  const [tool, prompt, resource, agent] = [
    known('tool'),
    known('prompt'),
    known('resource'),
    known('agent'),
  ];
  return { tool: [...(view.connected ? SYSTEM_TOOLS : []), ...tool], prompt, resource, agent };
}

/** Returns the visible items that a view has, and lacks, in comparison with an earlier one. */
export function differenceOf(
  visibility: Pick<Visibility, 'list' | 'allItems' | 'reasonsAgainst'>,
  { before, after, isKnown }: { before: View; after: View; isKnown: IsKnown },
) {
  const visibleIn = (view: View) => {
    const all = knownItems(visibility, { view, isKnown }, () => null);
    return (family: Family) => all[family].filter(isVisible);
  };
  const [earlier, later] = [visibleIn(before), visibleIn(after)];
  const gained = byFamily((family) => without(later(family), earlier(family)));
  const lost = byFamily((family) => without(earlier(family), later(family)));
  return {
    gained: mapFamilies(gained, (items) => items.slice(0, MAX_ITEMS).map(nameOf)),
    lost: mapFamilies(lost, (items) => items.slice(0, MAX_ITEMS).map(nameOf)),
    counts: {
      gained: mapFamilies(gained, ({ length }) => length),
      lost: mapFamilies(lost, ({ length }) => length),
    },
  };
}

function without(items: readonly ShownItem[], others: readonly ShownItem[]): readonly ShownItem[] {
  const ids = new Set(others.map(({ id }) => id));
  return items.filter(({ id }) => !ids.has(id));
}

const isVisible = ({ because }: ShownItem): boolean => because.length === 0;
const isHidden = (item: ShownItem): boolean => !isVisible(item);

/** Returns the beginning of every list, or a page of the items of one family. */
function partOf(
  all: KnownItems,
  page: PreviewPage | null,
): Pick<Preview, 'visible' | 'hidden' | 'next_cursor'> {
  if (page === null)
    return {
      visible: byFamily((family) => all[family].filter(isVisible).slice(0, MAX_ITEMS).map(nameOf)),
      hidden: families
        .flatMap((family) => all[family].filter(isHidden))
        .slice(0, MAX_ITEMS)
        .map(hiddenOf),
      next_cursor: null,
    };
  const { data, next_cursor } = pageOfList(all[page.family], page);
  return {
    visible: byFamily((family) =>
      family === page.family ? data.filter(isVisible).map(nameOf) : [],
    ),
    hidden: data.filter(isHidden).map(hiddenOf),
    next_cursor,
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

interface NamedItem {
  id: string;
  name: string;
  system?: true;
}
const nameOf = ({ id, name, system }: NamedItem): NamedItem => ({
  id,
  name,
  ...(system === true ? { system } : {}),
});
const hiddenOf = ({
  family,
  id,
  name,
  because,
  fix_url,
}: ShownItem): Preview['hidden'][number] => ({
  ...{ family, id, name, because, fix_url },
});

const SYSTEM_TOOLS: readonly ShownItem[] = Object.entries(systemTools).map(([name, id]) => ({
  ...{ id, name, family: 'tool', because: [], fix_url: null },
  system: true,
}));

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

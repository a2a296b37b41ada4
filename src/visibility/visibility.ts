import type { Authz } from '../authz/authz.ts';
import type { KeyCaller, ScopeState } from '../caller/caller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { BuiltInTool } from '../catalog/tool.ts';
import { storedToolPolicy } from '../policies/tool-policy.ts';
import { decide } from './decide.ts';
import type { ToolItem, View } from './decide.ts';
import { createKeptSelection } from './kept-selection.ts';

export type { ToolItem, View } from './decide.ts';

/** What one credential reaches. */
export interface Visibility {
  /** Costs no SQL when warm. Throws `unavailable` rather than showing less. */
  view(caller: KeyCaller): Promise<View>;
  decide: typeof decide;
  /** In the order of their names; each is the same object while the catalogue stands. */
  tools(view: View): readonly ToolItem[];
  /** Null: absent or deprecated. Whether the caller may use it is for `decide` to say. */
  findTool(name: string): ToolItem | null;
}

export interface VisibilityDependencies {
  authz: Pick<Authz, 'context'>;
  catalog: Pick<Catalog, 'tools' | 'version'>;
  selectedTools(account_id: string): Promise<ReadonlySet<string>>;
  /** False (AUTHZ_CACHE=off): selections are read every time. */
  cached: boolean;
}

export function createVisibility(dependencies: VisibilityDependencies): Visibility {
  const { authz, catalog, selectedTools, cached } = dependencies;
  const items = catalog
    .tools()
    .filter((tool) => tool.deprecated !== true)
    .map((tool) => itemOf(tool, catalog.version))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(items.map((item) => [item.name, item]));
  const candidates = createCandidates(items);
  const selectionAt = cached
    ? createKeptSelection(selectedTools)
    : ({ id }: ScopeState) => selectedTools(id);

  return {
    async view(caller) {
      const [context, selected] = await Promise.all([
        authz.context(caller),
        selectionAt(accountScope(caller)),
      ]);
      return { caller, ...context, selected, policy: storedToolPolicy(caller.tool_policy) };
    },
    decide,
    tools: (view) => candidates(view.selected).filter((item) => isAllowed(view, item)),
    findTool: (name) => byName.get(name) ?? null,
  };
}

const isAllowed = (view: View, item: ToolItem) => decide(view, item).outcome === 'allowed';

/**
 * The selected items in the catalogue's order: nothing else can be allowed (S8), and a selection is
 * short where the catalogue is long. Kept with the selection itself, which is one set while it stands.
 */
function createCandidates(items: readonly ToolItem[]) {
  const kept = new WeakMap<ReadonlySet<string>, readonly ToolItem[]>();
  return (selected: ReadonlySet<string>): readonly ToolItem[] => {
    const known = kept.get(selected);
    if (known !== undefined) return known;
    const chosen = items.filter((item) => selected.has(item.id));
    kept.set(selected, chosen);
    return chosen;
  };
}

function accountScope(caller: KeyCaller): ScopeState {
  const scope = caller.lane.find(({ kind, id }) => kind === 'account' && id === caller.account_id);
  if (scope === undefined) throw new TypeError('A personal key’s lane lacks its account.');
  return scope;
}

const itemOf = (tool: BuiltInTool, version: string): ToolItem => ({
  family: 'tool',
  id: tool.id,
  name: tool.name,
  title: tool.title,
  description: tool.description,
  input_schema: tool.input_schema,
  output_schema: tool.output_schema,
  annotations: tool.annotations,
  origin: 'builtin',
  version,
  tool,
});

import { isCurrent } from '../../catalog/catalog.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { faultsOf } from '../../policies/policy.ts';

export const lists = ['tools', 'platform_prompts'] as const;

/** A selection, by ids or by names. */
export type SelectionLists = Record<(typeof lists)[number], string[]>;

export type SelectableItems = ReturnType<typeof createSelectableItems>;

/** Returns the items that can be selected. Deprecated items are neither shown nor accepted. */
export function createSelectableItems(catalog: Pick<Catalog, 'tools' | 'prompts'>) {
  const tools = () => catalog.tools().filter(isCurrent);
  const prompts = () => catalog.prompts().filter(isCurrent);
  return {
    tools,
    prompts,
    /** Returns the problems of a selection by ids or by names, for a 422 response. */
    problems(selection: SelectionLists, field: 'id' | 'name'): Problem[] {
      const known = {
        tools: new Set(tools().map((tool) => tool[field])),
        platform_prompts: new Set(prompts().map((prompt) => prompt[field])),
      };
      const isKnown = (list: keyof SelectionLists, value: string) => known[list].has(value);
      const problems = faultsOf(selection, lists, { isKnown, mayBeEmpty: true });
      return problems.map(({ pointer, ...problem }) => ({ ...problem, detail: { pointer } }));
    },
  };
}

export const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

import type { Catalog } from '../../catalog/catalog.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { faultsOf } from '../../policies/policy.ts';

export const lists = ['tools', 'platform_prompts'] as const;

/** A selection, by ids or by names. */
export type Selecting = Record<(typeof lists)[number], string[]>;

export type Current = ReturnType<typeof createCurrent>;

/** The items that can be selected. Deprecated ones are neither shown nor accepted. */
export function createCurrent(catalog: Pick<Catalog, 'tools' | 'prompts'>) {
  const tools = () => catalog.tools().filter(isCurrent);
  const prompts = () => catalog.prompts().filter(isCurrent);
  return {
    tools,
    prompts,
    /** Returns the problems for a 422 response to a selection by ids, or by names. */
    problems(selecting: Selecting, field: 'id' | 'name'): Problem[] {
      const known = {
        tools: new Set(tools().map((tool) => tool[field])),
        platform_prompts: new Set(prompts().map((prompt) => prompt[field])),
      };
      const isKnown = (list: keyof Selecting, one: string) => known[list].has(one);
      const faults = faultsOf(selecting, lists, { isKnown, mayBeEmpty: true });
      return faults.map(({ pointer, ...fault }) => ({ ...fault, detail: { pointer } }));
    },
  };
}

const isCurrent = (item: { deprecated?: boolean }) => item.deprecated !== true;
export const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

import type { Catalog } from '../../catalog/catalog.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { duplicates, unknownItems } from '../../policies/policy.ts';

export const lists = ['tools', 'platform_prompts'] as const;

/** A selection, by ids or by names. */
export type Selecting = Record<(typeof lists)[number], string[]>;

export type Current = ReturnType<typeof createCurrent>;

/** What can be selected: a deprecated item is neither shown nor taken. */
export function createCurrent(catalog: Pick<Catalog, 'tools' | 'prompts'>) {
  const tools = () => catalog.tools().filter(isCurrent);
  const prompts = () => catalog.prompts().filter(isCurrent);
  return {
    tools,
    prompts,
    /** The 422 of a selection whose entries are ids, or names. */
    problems(selecting: Selecting, field: 'id' | 'name'): Problem[] {
      const known = {
        tools: new Set(tools().map((tool) => tool[field])),
        platform_prompts: new Set(prompts().map((prompt) => prompt[field])),
      };
      const faults = [
        ...duplicates(selecting, lists),
        ...unknownItems(selecting, lists, (list, one) => known[list].has(one)),
      ];
      return faults.map(({ pointer, ...fault }) => ({ ...fault, detail: { pointer } }));
    },
  };
}

const isCurrent = (item: { deprecated?: boolean }) => item.deprecated !== true;
export const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

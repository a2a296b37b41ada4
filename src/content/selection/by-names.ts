import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { idsOf } from './selectable-items.ts';
import type { SelectableItems, SelectionLists } from './selectable-items.ts';
import { readSelection, replaceSelection } from './store.ts';

/** A selection with names instead of ids, so that it can be imported into another account. */
export interface SelectionByNames {
  /** Returns the selected names, sorted. */
  names(db: Queryable, space_id: string): Promise<SelectionLists>;
  problems(selection: SelectionLists): Problem[];
  /** Adds to the selection, in the caller's own transaction, which must hold the space's lock. */
  add(transaction: Transaction, space_id: string, selection: SelectionLists): Promise<void>;
}

export const createNamedSelection = (selectable: SelectableItems): SelectionByNames => ({
  async names(connection, space_id) {
    const { tools, platform_prompts } = await readSelection(connection, space_id);
    return {
      tools: namesOf(selectable.tools().filter(({ id }) => tools.has(id))),
      platform_prompts: namesOf(selectable.prompts().filter(({ id }) => platform_prompts.has(id))),
    };
  },
  problems: (selection) => selectable.problems(selection, 'name'),
  async add(transaction, space_id, selection) {
    const stored = await readSelection(transaction, space_id);
    const tools = selectable.tools().filter(({ name }) => selection.tools.includes(name));
    const prompts = selectable
      .prompts()
      .filter(({ name }) => selection.platform_prompts.includes(name));
    await replaceSelection(transaction, space_id, {
      tools: [...stored.tools.union(new Set(idsOf(tools)))],
      platform_prompts: [...stored.platform_prompts.union(new Set(idsOf(prompts)))],
    });
  },
});

const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name);

import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { idsOf } from './current.ts';
import type { Current, Selecting } from './current.ts';
import { readSelection, replaceSelection } from './store.ts';

/** A selection by names instead of ids, so that it can be imported into another account. */
export interface SelectionByNames {
  /** Returns the selected names, sorted. */
  names(connection: Connection, space_id: string): Promise<Selecting>;
  problems(named: Selecting): Problem[];
  /** Adds to the selection, in the caller's own transaction, which must hold the space's lock. */
  add(transaction: Transaction, space_id: string, named: Selecting): Promise<void>;
}

export const createByNames = (current: Current): SelectionByNames => ({
  async names(connection, space_id) {
    const { tools, platform_prompts } = await readSelection(connection, space_id);
    return {
      tools: namesOf(current.tools().filter(({ id }) => tools.has(id))),
      platform_prompts: namesOf(current.prompts().filter(({ id }) => platform_prompts.has(id))),
    };
  },
  problems: (named) => current.problems(named, 'name'),
  async add(transaction, space_id, named) {
    const chosen = await readSelection(transaction, space_id);
    const tools = current.tools().filter(({ name }) => named.tools.includes(name));
    const prompts = current.prompts().filter(({ name }) => named.platform_prompts.includes(name));
    await replaceSelection(transaction, space_id, {
      tools: [...chosen.tools.union(new Set(idsOf(tools)))],
      platform_prompts: [...chosen.platform_prompts.union(new Set(idsOf(prompts)))],
    });
  },
});

const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name);

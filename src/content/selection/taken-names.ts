import type { Transaction } from '../../platform/postgres/database.ts';
import { conflict } from '../../platform/errors/refusal.ts';
import type { McpSettings } from './schema.ts';
import { findOwnNames, readSelection } from './store.ts';

type List = keyof McpSettings;

interface RequestedSelection {
  settings: McpSettings;
  /** Items that can be selected now. */
  current: Readonly<Record<List, readonly { id: string; name: string }[]>>;
}

/**
 * Throws 409 if a newly selected built-in item has the same name as one of the account's own items,
 * which must be renamed first (decisions/0019).
 */
export async function throwIfNameTaken(
  transaction: Transaction,
  space_id: string,
  { settings, current }: RequestedSelection,
): Promise<void> {
  const before = await readSelection(transaction, space_id);
  const added = (list: List) =>
    settings[list].flatMap((id, index) => {
      const item = before[list].has(id)
        ? undefined
        : current[list].find((candidate) => candidate.id === id);
      return item === undefined ? [] : [{ name: item.name, pointer: `/${list}/${index}` }];
    });
  const [tools, prompts] = [added('tools'), added('platform_prompts')];
  const ownNames = await findOwnNames(transaction, space_id, {
    tools: tools.map(({ name }) => name),
    prompts: prompts.map(({ name }) => name),
  });
  const taken =
    tools.find(({ name }) => ownNames.has(`tool ${name}`)) ??
    prompts.find(({ name }) => ownNames.has(`prompt ${name}`));
  if (taken === undefined) return;
  throw conflict('name_taken', `One of your items is named ${taken.name}. Rename it first.`, {
    detail: { pointer: taken.pointer },
  });
}

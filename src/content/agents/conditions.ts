import type { Catalog } from '../../catalog/catalog.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { families } from '../items/schema.ts';
import type { Family } from '../items/schema.ts';
import { findNamedItems } from '../items/store.ts';
import type { NamedCondition, When } from './schema.ts';

type Condition = NonNullable<When>;

export interface ConditionsDependencies {
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'toolById' | 'promptById'>;
}

/** Fields of a `NamedCondition` that name the account's own items, by family. */
const OWN_ITEM_FIELDS = {
  tool: 'custom_tool',
  prompt: 'prompt',
  resource: 'resource',
  agent: 'agent',
} as const satisfies Record<Family, keyof NamedCondition>;

/**
 * Returns a function that names a condition's item. It returns null unless the item is a current
 * built-in item or belongs to this space.
 */
export async function readConditionNames(
  db: Queryable,
  { space_id, conditions }: { space_id: string; conditions: readonly Condition[] },
  { catalog }: ConditionsDependencies,
): Promise<(condition: Condition) => NamedCondition | null> {
  const rows = await findNamedItems(db, {
    space_id,
    ids: conditions.flatMap(({ tool, prompt, agent }) => tool ?? prompt ?? agent ?? []),
    paths: conditions.flatMap(({ resource }) => resource ?? []),
  });
  const ownNames = new Map(
    rows.map(({ family, id, name }) => [`${family} ${family === 'resource' ? name : id}`, name]),
  );

  function builtInName({ tool, prompt }: Condition): NamedCondition | null {
    const isTool = tool !== undefined;
    const item = isTool ? catalog.toolById(tool) : catalog.promptById(prompt ?? '');
    if (item === undefined || item.deprecated === true) return null;
    return { [isTool ? 'tool' : 'platform_prompt']: item.name };
  }

  return (condition) => {
    if (condition.capability !== undefined) return { capability: condition.capability };
    const builtInCondition = builtInName(condition);
    if (builtInCondition !== null) return builtInCondition;
    for (const family of families) {
      const name = ownNames.get(`${family} ${condition[family]}`);
      if (name !== undefined) return { [OWN_ITEM_FIELDS[family]]: name };
    }
    return null;
  };
}

/** The inverse of `readConditionNames`; null if there is no such item. `idOf` finds own items. */
export function conditionOf(
  { capability, gone: deletedCondition, tool, platform_prompt, ...ownNames }: NamedCondition,
  idOf: (family: Family, name: string) => string | undefined,
  { catalog }: ConditionsDependencies,
): Condition | null {
  if (capability !== undefined) return { capability };
  if (deletedCondition !== undefined) return deletedCondition;
  if (tool !== undefined) return builtIn('tool', catalog.tools(), tool);
  if (platform_prompt !== undefined) return builtIn('prompt', catalog.prompts(), platform_prompt);
  for (const family of families) {
    const name = ownNames[OWN_ITEM_FIELDS[family]];
    const id = name === undefined ? undefined : idOf(family, name);
    if (id !== undefined) return { [family]: family === 'resource' ? name : id };
  }
  return null;
}

interface BuiltIn {
  id: string;
  name: string;
  deprecated?: boolean;
}

function builtIn(family: 'tool' | 'prompt', items: readonly BuiltIn[], name: string) {
  const found = items.find((item) => item.name === name && item.deprecated !== true);
  return found === undefined ? null : { [family]: found.id };
}

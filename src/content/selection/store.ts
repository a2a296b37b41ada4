import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';

const SelectedRow = z.object({ family: z.enum(['tool', 'prompt']), item_id: z.string() });

/** Ids of the built-in items a space has selected. */
export interface Selected {
  tools: ReadonlySet<string>;
  platform_prompts: ReadonlySet<string>;
}

export async function readSelection(connection: Connection, space_id: string): Promise<Selected> {
  const rows = await connection.any(sql.type(SelectedRow)`
    SELECT 'tool' AS family, tool_id AS item_id FROM tool_selection WHERE space_id = ${space_id}
    UNION ALL
    SELECT 'prompt', prompt_id FROM prompt_selection WHERE space_id = ${space_id}`);
  return selectedOf(rows);
}

function selectedOf(rows: readonly z.infer<typeof SelectedRow>[]): Selected {
  const idsOf = (family: string) =>
    new Set(rows.filter((row) => row.family === family).map(({ item_id }) => item_id));
  return { tools: idsOf('tool'), platform_prompts: idsOf('prompt') };
}

/** Returns which of the names the space's own items have, as `<family> <name>`: `tool weather`. */
export async function findOwnNames(
  connection: Connection,
  space_id: string,
  { tools, prompts }: { tools: string[]; prompts: string[] },
): Promise<ReadonlySet<string>> {
  const named = await connection.anyFirst(sql.type(z.object({ named: z.string() }))`
    SELECT family || ' ' || name AS named FROM item WHERE space_id = ${space_id}
      AND (family = 'tool' AND name = ANY(${sql.array(tools, 'text')})
        OR family = 'prompt' AND name = ANY(${sql.array(prompts, 'text')}))`);
  return new Set(named);
}

export async function replaceSelection(
  transaction: Transaction,
  space_id: string,
  selected: { tools: readonly string[]; platform_prompts: readonly string[] },
): Promise<void> {
  const tools = sql.array([...selected.tools], 'uuid');
  const prompts = sql.array([...selected.platform_prompts], 'uuid');
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM tool_selection WHERE space_id = ${space_id} AND tool_id <> ALL(${tools})`);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO tool_selection (space_id, tool_id)
    SELECT ${space_id}::uuid, unnest(${tools}) ON CONFLICT DO NOTHING`);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM prompt_selection
    WHERE space_id = ${space_id} AND prompt_id <> ALL(${prompts})`);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO prompt_selection (space_id, prompt_id)
    SELECT ${space_id}::uuid, unnest(${prompts}) ON CONFLICT DO NOTHING`);
}

/** Returns the ids that are designated for the whole organization. */
export async function readDesignated(connection: Connection, space_id: string): Promise<Selected> {
  const rows = await connection.any(sql.type(SelectedRow)`
    SELECT 'tool' AS family, tool_id AS item_id FROM tool_selection
    WHERE space_id = ${space_id} AND organization_wide
    UNION ALL
    SELECT 'prompt', prompt_id FROM prompt_selection
    WHERE space_id = ${space_id} AND organization_wide`);
  return selectedOf(rows);
}

/** Designates these of the selected ids for the whole organization, and no others. */
export async function designate(
  transaction: Transaction,
  space_id: string,
  designated: { tools: readonly string[]; platform_prompts: readonly string[] },
): Promise<void> {
  const tools = sql.array([...designated.tools], 'uuid');
  const prompts = sql.array([...designated.platform_prompts], 'uuid');
  await transaction.query(sql.typeAlias('void')`
    UPDATE tool_selection SET organization_wide = tool_id = ANY(${tools})
    WHERE space_id = ${space_id}`);
  await transaction.query(sql.typeAlias('void')`
    UPDATE prompt_selection SET organization_wide = prompt_id = ANY(${prompts})
    WHERE space_id = ${space_id}`);
}

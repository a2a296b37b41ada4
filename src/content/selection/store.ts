import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';

const SelectedRow = z.object({ family: z.enum(['tool', 'prompt']), item_id: z.string() });
const SelectedInRow = SelectedRow.extend({ space_id: z.string() });

/** Ids of the built-in items a space has selected. */
export interface SelectedIds {
  tools: ReadonlySet<string>;
  platform_prompts: ReadonlySet<string>;
}

/** Reads the selection of each of these spaces. */
export async function readSelections(
  db: Queryable,
  spaceIds: readonly string[],
): Promise<ReadonlyMap<string, SelectedIds>> {
  const ids = sql.array([...spaceIds], 'uuid');
  const rows = await db.any(sql.type(SelectedInRow)`
    SELECT 'tool' AS family, tool_id AS item_id, space_id FROM tool_selection
    WHERE space_id = ANY(${ids})
    UNION ALL
    SELECT 'prompt', prompt_id, space_id FROM prompt_selection WHERE space_id = ANY(${ids})`);
  const bySpace = Map.groupBy(rows, ({ space_id }) => space_id);
  return new Map(spaceIds.map((id) => [id, selectedOf(bySpace.get(id) ?? [])]));
}

export async function readSelection(db: Queryable, space_id: string): Promise<SelectedIds> {
  return (await readSelections(db, [space_id])).get(space_id)!;
}

function selectedOf(rows: readonly z.infer<typeof SelectedRow>[]): SelectedIds {
  const idsOf = (family: string) =>
    new Set(rows.filter((row) => row.family === family).map(({ item_id }) => item_id));
  return { tools: idsOf('tool'), platform_prompts: idsOf('prompt') };
}

/** Returns which names the space's own items already have, as `<family> <name>`: `tool weather`. */
export async function findOwnNames(
  db: Queryable,
  space_id: string,
  { tools, prompts }: { tools: string[]; prompts: string[] },
): Promise<ReadonlySet<string>> {
  const names = await db.anyFirst(sql.type(z.object({ named: z.string() }))`
    SELECT family || ' ' || name AS named FROM item WHERE space_id = ${space_id}
      AND (family = 'tool' AND name = ANY(${sql.array(tools, 'text')})
        OR family = 'prompt' AND name = ANY(${sql.array(prompts, 'text')}))`);
  return new Set(names);
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
export async function readDesignated(db: Queryable, space_id: string): Promise<SelectedIds> {
  const rows = await db.any(sql.type(SelectedRow)`
    SELECT 'tool' AS family, tool_id AS item_id FROM tool_selection
    WHERE space_id = ${space_id} AND organization_wide
    UNION ALL
    SELECT 'prompt', prompt_id FROM prompt_selection
    WHERE space_id = ${space_id} AND organization_wide`);
  return selectedOf(rows);
}

/** Designates exactly these ids, as far as they are selected, for the whole organization. */
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

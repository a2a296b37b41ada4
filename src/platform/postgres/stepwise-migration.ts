import type pg from 'pg';
import { giveWay } from './give-way.ts';

/**
 * Whether a migration runs statement by statement, while gateways read and write the tables: to build
 * an index, or to change rows in batches.
 */
export const isStepwise = (text: string): boolean =>
  /^(?:(?:CREATE|DROP) .*INDEX CONCURRENTLY|CREATE OR REPLACE PROCEDURE) /m.test(text);

/** A statement that must not be part of a transaction, and waits for those of others. */
const isAlone = (statement: string): boolean =>
  /^(?:\w+ (?:UNIQUE )?INDEX CONCURRENTLY|CALL) /.test(statement);

/**
 * Runs the statements of such a migration one by one. Each must have no effect when it is repeated.
 * One with `:partition` runs for each partition that has no index yet. An index whose build was
 * interrupted is invalid, and is built again.
 */
export async function runStepwise(
  client: pg.Client,
  text: string,
  patienceMs: number,
): Promise<void> {
  const statements = statementsOf(text);
  for (const template of statements)
    for (const statement of await forPartitions(client, statements, template))
      if (isAlone(statement)) {
        await client.query('SET lock_timeout = 0');
        await dropInvalid(client, statement);
        await client.query(statement);
      } else await giveWay(client, patienceMs, async () => void (await client.query(statement)));
}

/** Returns the statements of a migration. A body between `$$` is part of one. */
export function statementsOf(text: string): string[] {
  const [first = '', ...rest] = text.replaceAll(/^--.*$/gm, '').split('$$');
  const statements = first.split(';');
  for (const [index, part] of rest.entries()) {
    const [begin = '', ...next] = index % 2 === 0 ? [part] : part.split(';');
    statements[statements.length - 1] += `$$${begin}`;
    statements.push(...next);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

/** Returns the statement for each partition of the table whose index the migration builds. */
async function forPartitions(
  client: pg.Client,
  statements: readonly string[],
  statement: string,
): Promise<string[]> {
  if (!statement.includes(':partition')) return [statement];
  const [, index, table] = statements
    .map((one) => /^CREATE INDEX IF NOT EXISTS (\w+)\s+ON ONLY (\w+)/.exec(one))
    .find((match) => match !== null)!;
  const { rows } = await client.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits
     WHERE inhparent = to_regclass($1) AND inhrelid NOT IN (
       SELECT indrelid FROM pg_inherits i JOIN pg_index ON indexrelid = i.inhrelid
       WHERE i.inhparent = to_regclass($2))`,
    [table, index],
  );
  return rows.map(({ name }) => statement.replaceAll(':partition', name));
}

/** Drops the index that the statement builds if an earlier build was interrupted. */
async function dropInvalid(client: pg.Client, statement: string): Promise<void> {
  const name = /^CREATE .* IF NOT EXISTS (\w+)/.exec(statement)?.[1];
  if (name === undefined) return;
  const { rows } = await client.query(
    `SELECT FROM pg_index JOIN pg_class c ON c.oid = indexrelid
     WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace AND relname = $1`,
    [name],
  );
  if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

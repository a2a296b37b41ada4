import type pg from 'pg';

/** Whether a migration builds indexes while others write to the tables. */
export const isConcurrent = (text: string): boolean => text.includes('INDEX CONCURRENTLY');

/**
 * Runs the statements of such a migration one by one, since none may be part of a transaction. Each
 * must have no effect when it is repeated. An index whose build was interrupted is invalid, and is
 * built again. Waits for open transactions, which do not wait for it.
 */
export async function buildConcurrently(client: pg.Client, text: string): Promise<void> {
  await client.query('SET lock_timeout = 0');
  const statements = statementsOf(text);
  await dropInvalid(client, statements);
  for (const statement of statements) await client.query(statement);
}

/** Returns the statements; none may contain a semicolon of another meaning. */
export const statementsOf = (text: string): string[] =>
  text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/** Drops the indexes of these statements whose build was interrupted, and no others. */
async function dropInvalid(client: pg.Client, statements: readonly string[]): Promise<void> {
  const names = statements.flatMap((one) => /^CREATE .* IF NOT EXISTS (\w+)/.exec(one)?.[1] ?? []);
  const { rows } = await client.query<{ name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_index JOIN pg_class c ON c.oid = indexrelid
     WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace
       AND relname = ANY($1)`,
    [names],
  );
  for (const { name } of rows) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

/** A database that nobody has migrated, for one test. */
export async function useEmptyDatabase() {
  const url = new URL(inject('postgresUrl'));
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  const name = `empty_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  // The forced drop may cut a connection whose end the pool does not wait for.
  pool.on('error', () => {});
  onTestFinished(async () => {
    await pool.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  return {
    url: url.href,
    query: async (text: string) => (await pool.query<Record<string, unknown>>(text)).rows,
  };
}

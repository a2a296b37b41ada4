import { readFileSync } from 'node:fs';
import pg from 'pg';
import { loadConfig } from '../../src/platform/config/config.ts';
import { createConnectionsSupport } from '../support/people/connections.ts';
import type { ConnectionsSupport } from '../support/people/connections.ts';
import type { Deployment } from '../support/servers/deployment-on.ts';

/** Runs `work` with the service's own code for OAuth connections, on separate links. */
export async function withConnections<Result>(
  { env, deployment }: { env: Readonly<Record<string, string>>; deployment: Deployment },
  work: (oauth: ConnectionsSupport) => Promise<Result>,
): Promise<Result> {
  const rows = new pg.Pool({ connectionString: deployment.databaseUrl, max: 2 });
  const query = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await rows.query<Row>(text, values)).rows;
  const config = loadConfig(env, (path) => readFileSync(path, 'utf8'));
  const oauth = await createConnectionsSupport({ query }, { config });
  try {
    return await work(oauth);
  } finally {
    await oauth.close();
    await rows.end();
  }
}

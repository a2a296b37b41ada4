import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createAuthz } from '../../../src/authz/authz.ts';
import type { Action } from '../../../src/caller/actions.ts';
import type { Authz, Projection } from '../../../src/authz/authz.ts';
import { createEngine } from '../../../src/authz/engine/client.ts';
import type { Engine } from '../../../src/authz/engine/client.ts';
import { requireDeployment } from '../../../src/authz/engine/deployment.ts';
import { findDrift } from '../../../src/authz/drift/drift.ts';
import type { Drift } from '../../../src/authz/drift/drift.ts';
import { createProjections } from '../../../src/authz/changes/projections.ts';
import type { Projections } from '../../../src/authz/changes/projections.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { systemActor as actor } from '../../../src/caller/actor.ts';
import type { AgentPrincipal } from '../../../src/caller/principal.ts';
import { createDatabase, sql } from '../../../src/platform/postgres/database.ts';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { createEvents } from '../../../src/platform/redis/events.ts';
import { isUuid } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createRedis } from '../../../src/platform/redis/redis.ts';
import type { Deployment } from '../servers/deployment.ts';
import { openPolicies } from './policies.ts';

export { actor };

/** Only the authorization core, on minimal rows: a key of an account is a row of `test_key`, with
 * the tuples of a key that declares Tools.
 */
export interface Authority {
  authz: Authz;
  engine: Engine;
  database: Database;
  projections: Projections;
  addAccount(): Promise<string>;
  addKey(account: string): Promise<string>;
  removeKey(account: string, key: string): Promise<void>;
  /** Returns the principal that the key authenticates as now. */
  caller(account: string, key: string): Promise<AgentPrincipal>;
  close(): Promise<void>;
}

export interface AuthorityOptions {
  cached?: boolean;
  /** Timeout per attempt of a request to OpenFGA. */
  deadlineMs?: number;
  /** Wraps the engine, so that a test can crash or fail a step. */
  wrap?(engine: Engine): Engine;
  /** Called inside the transaction of a key's change, before and after its rows. */
  onWork?(when: 'start' | 'end'): void;
  /** Called inside the transaction of every change, after its rows. */
  onAudit?(): void;
  /** Projections of object types in addition to accounts. */
  register?: readonly Projection[];
}

export async function createAuthority(
  deployment: Deployment,
  options: AuthorityOptions = {},
): Promise<Authority> {
  const log = createLog('silent');
  const onIdleError = () => {};
  const database = await createDatabase({ url: deployment.databaseUrl, onIdleError });
  await database.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`SELECT pg_advisory_xact_lock(2)`);
    await transaction.query(
      sql.unsafe`CREATE TABLE IF NOT EXISTS test_account (id uuid PRIMARY KEY)`,
    );
    await transaction.query(sql.unsafe`CREATE TABLE IF NOT EXISTS test_key (
      id uuid PRIMARY KEY, account_id uuid NOT NULL)`);
  });
  const { model_id } = await requireDeployment(database, deployment.openfga.storeId);
  const { deadlineMs } = options;
  const plain = createEngine({
    ...{ ...deployment.openfga, modelId: model_id },
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  const engine = options.wrap ? options.wrap(plain) : plain;
  const redis = createRedis(
    deployment.env['REDIS_URL']!,
    deployment.env['REDIS_PREFIX']!,
    onIdleError,
  );
  const projections = createProjections([accounts, ...(options.register ?? [])], []);
  const authz = createAuthz({
    database,
    appliersDatabase: database,
    engine,
    events: createEvents(redis, log),
    projections,
    audit: async () => options.onAudit?.(),
    cached: options.cached ?? process.env['AUTHZ_CACHE'] !== 'off',
    log,
  });

  await authz.requireStore().catch(() => {});

  const changeKey = (account: string, key: string, reason: Action, statement: Statement) =>
    authz.change({
      actor,
      reason,
      writes: [{ kind: 'account', id: account }],
      objects: [{ object: `account:${account}`, subject: `api_key:${key}` }],
      targets: [{ type: 'api_key', id: key }],
      basis: null,
      async work(transaction) {
        options.onWork?.('start');
        await transaction.query(statement);
        options.onWork?.('end');
      },
    });

  return {
    authz,
    engine,
    database,
    projections,
    async addAccount() {
      const id = randomUUID();
      await authz.change({
        actor,
        reason: 'account.verify',
        writes: [{ kind: 'account', id }],
        creates: [{ kind: 'account', id }],
        objects: [{ object: `account:${id}`, subject: `user:${id}` }],
        targets: [{ type: 'account', id }],
        basis: null,
        work: async (transaction) =>
          void (await transaction.query(sql.unsafe`INSERT INTO test_account VALUES (${id})`)),
      });
      return id;
    },
    async addKey(account) {
      const id = randomUUID();
      const insert = sql.unsafe`INSERT INTO test_key VALUES (${id}, ${account})`;
      await changeKey(account, id, 'key.create', insert);
      return id;
    },
    removeKey: (account, key) =>
      changeKey(account, key, 'key.revoke', sql.unsafe`DELETE FROM test_key WHERE id = ${key}`),
    async caller(account, key) {
      const scopes = await readScopes(database.pool, [{ kind: 'account', id: account }]);
      return callerOf(account, key, scopes);
    },
    async close() {
      await redis.close();
      await database.close();
    },
  };
}

/** Returns everything the drift check finds now. */
export async function driftOf(
  authority: Authority,
  { repair }: { repair: boolean },
): Promise<Drift[]> {
  const dependencies = { ...authority, log: createLog('silent') };
  return Array.fromAsync(findDrift(dependencies, { repair, actor }));
}

type Statement = ReturnType<typeof sql.unsafe>;

export const accounts: Projection = {
  type: 'account',
  version: 1,
  kinds: ['account'],
  scopesOf: async (_connection, ids) =>
    new Map(ids.filter(isUuid).map((id) => [id, { kind: 'account', id }])),
  list: async (_connection, { id }) => [id],
  slices: {
    async user(connection, id) {
      const found = await connection.exists(sql.unsafe`
        SELECT 1 FROM test_account WHERE id = ${id}`);
      return found ? [{ user: `user:${id}`, relation: 'session', object: `account:${id}` }] : [];
    },
    async api_key(connection, id, key) {
      const keys = await connection.anyFirst(sql.type(z.object({ id: z.string() }))`
        SELECT id FROM test_key
        WHERE account_id = ${id} AND (${key}::uuid IS NULL OR id = ${key}::uuid)`);
      return keys.flatMap((keyId) =>
        ['runs_here', 'declared_tools', 'principal'].map((relation) => ({
          user: `api_key:${keyId}`,
          relation,
          object: `account:${id}`,
        })),
      );
    },
  },
};

function callerOf(account: string, key: string, scopes: AgentPrincipal['scopes']): AgentPrincipal {
  return {
    credential: { kind: 'api_key', id: key },
    subject: `api_key:${key}`,
    context: `account:${account}`,
    person: account,
    quota_owner: { kind: 'account', id: account, plan: 'free' },
    organization: null,
    scopes,
    ...openPolicies,
    default_agent_id: null,
    team_ids: null,
    audit_arguments: false,
    restrictions: null,
    tool_listing: 'all',
  };
}

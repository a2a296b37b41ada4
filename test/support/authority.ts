import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createAuthz } from '../../src/authz/authz.ts';
import type { Action } from '../../src/caller/actions.ts';
import type { Authz, Project } from '../../src/authz/authz.ts';
import { createEngine } from '../../src/authz/client.ts';
import type { Engine } from '../../src/authz/client.ts';
import { requireDeployment } from '../../src/authz/deployment.ts';
import { findDrift } from '../../src/authz/drift.ts';
import type { Drift, DriftDependencies } from '../../src/authz/drift.ts';
import { platformTuples } from '../../src/authz/system-roles.ts';
import { readScopes } from '../../src/authz/store.ts';
import { systemActor as actor } from '../../src/caller/actor.ts';
import type { AgentPrincipal } from '../../src/caller/principal.ts';
import { createDatabase, sql } from '../../src/platform/database.ts';
import type { Database } from '../../src/platform/database.ts';
import { createEvents } from '../../src/platform/events.ts';
import { createLog } from '../../src/platform/log.ts';
import { createRedis } from '../../src/platform/redis.ts';
import type { Deployment } from './deployment.ts';
import { openPolicies } from './policies.ts';

export { actor };

/**
 * The authorization core alone, over rows as simple as can be: a key of an account is a row of
 * `test_key`, and its tuples are those of a key that declares Tools.
 */
export interface Authority {
  authz: Authz;
  engine: Engine;
  database: Database;
  project: Project;
  unitsOf: DriftDependencies['unitsOf'];
  addAccount(): Promise<string>;
  addKey(account: string): Promise<string>;
  removeKey(account: string, key: string): Promise<void>;
  /** The key as its authentication query would give it now. */
  caller(account: string, key: string): Promise<AgentPrincipal>;
  close(): Promise<void>;
}

export interface AuthorityOptions {
  cached?: boolean;
  /** Wraps the engine, to end or fail at a step. */
  wrap?(engine: Engine): Engine;
  /** Told inside the transaction of a key's change, before and after its rows. */
  onWork?(when: 'start' | 'end'): void;
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
  const plain = createEngine({ ...deployment.openfga, modelId: model_id });
  const engine = options.wrap ? options.wrap(plain) : plain;
  const redis = createRedis(
    deployment.env['REDIS_URL']!,
    deployment.env['REDIS_PREFIX']!,
    onIdleError,
  );
  const authz = createAuthz({
    database,
    appliersDatabase: database,
    engine,
    events: createEvents(redis, log),
    project,
    audit: async () => {},
    cached: options.cached ?? process.env['AUTHZ_CACHE'] !== 'off',
    log,
  });

  await authz.requireStore().catch(() => {});

  const changeKey = (account: string, key: string, reason: Action, statement: Statement) =>
    authz.change({
      actor,
      reason,
      scope: { kind: 'account', id: account },
      units: [{ type: 'api_key', id: key }],
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
    project,
    unitsOf,
    async addAccount() {
      const id = randomUUID();
      await authz.change({
        actor,
        reason: 'account.verify',
        scope: { kind: 'account', id },
        units: [{ type: 'account', id }],
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

/** What the drift check finds now, whole. */
export async function driftOf(
  authority: Authority,
  { repair }: { repair: boolean },
): Promise<Drift[]> {
  const dependencies = { ...authority, log: createLog('silent') };
  return Array.fromAsync(findDrift(dependencies, { repair, actor }));
}

const unitsOf: DriftDependencies['unitsOf'] = async (connection, scope) => {
  if (scope.kind === 'platform') {
    const objects = new Set(
      platformTuples()
        .flat()
        .map((tuple) => tuple.object),
    );
    return { units: [{ type: 'platform', id: scope.id }], objects: [...objects] };
  }
  const keys = await connection.any(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM test_key WHERE account_id = ${scope.id}`);
  return {
    units: [
      { type: 'account', id: scope.id },
      ...keys.map(({ id }) => ({ type: 'api_key' as const, id })),
    ],
    objects: [`account:${scope.id}`],
  };
};

type Statement = ReturnType<typeof sql.unsafe>;

const project: Project = async (connection, unit) => {
  if (unit.type === 'platform') return platformTuples().flat();
  if (unit.type === 'account') {
    const found = await connection.maybeOne(sql.unsafe`
      SELECT id FROM test_account WHERE id = ${unit.id}`);
    const tuple = { user: `user:${unit.id}`, relation: 'session', object: `account:${unit.id}` };
    return found ? [tuple] : [];
  }
  const row = await connection.maybeOne(sql.type(z.object({ account_id: z.string() }))`
    SELECT account_id FROM test_key WHERE id = ${unit.id}`);
  if (!row) return [];
  const object = `account:${row.account_id}`;
  return ['runs_here', 'declared_tools', 'principal'].map((relation) => ({
    user: `api_key:${unit.id}`,
    relation,
    object,
  }));
};

function callerOf(account: string, key: string, scopes: AgentPrincipal['scopes']): AgentPrincipal {
  return {
    credential: { kind: 'api_key', id: key },
    subject: `api_key:${key}`,
    context: `account:${account}`,
    person: account,
    quota_owner: { kind: 'account', id: account, plan: 'free' },
    scopes,
    ...openPolicies,
    default_agent_id: null,
    audit_arguments: false,
  };
}

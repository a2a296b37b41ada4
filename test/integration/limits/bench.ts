import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { QuotaOwner } from '../../../src/caller/principal.ts';
import { createLimits } from '../../../src/limits/limits.ts';
import type { Admission, CallFacts, Limits } from '../../../src/limits/limits.ts';
import type { CallKind } from '../../../src/limits/schema.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { defaultPlans } from '../../../src/platform/config/plans.ts';
import type { Plan, Plans } from '../../../src/platform/config/plans.ts';
import { createRedis } from '../../../src/platform/redis/redis.ts';
import type { RedisLink } from '../../../src/platform/redis/redis.ts';

const MIGRATIONS = [
  ...['0003_accounts.sql', '0006_limits.sql', '0007_usage.sql', '0009_organizations.sql'],
  ...['0011_teams.sql', '0019_organization_usage.sql', '0047_uncounted_calls.sql'],
].map((file) => new URL(`../../../migrations/${file}`, import.meta.url));

export interface BenchOptions {
  redisUrl?: string;
  plan?: Partial<Plan['tool_calls']>;
}

export interface GatewayOptions {
  redisUrl?: string;
  databaseUrl?: string;
  /** If false, flushes and heartbeats run only when requested. */
  isStarted?: boolean;
}

/** The limits of several gateways on one database and one Redis, whose contents tests can read. */
export interface Bench {
  databaseUrl: string;
  redisUrl: string;
  redis: RedisLink;
  owner(): QuotaOwner;
  gateway(options?: GatewayOptions): Promise<Limits>;
  call(limits: Limits, owner: QuotaOwner, kind?: CallKind): Promise<Admission>;
  /** Returns the month's counter in Redis, or null if there is none. */
  counter(owner: QuotaOwner): Promise<number | null>;
  ledger(owner: QuotaOwner): Promise<{ rows: number; total: number }>;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function useBench(options: BenchOptions = {}): Promise<Bench> {
  const databaseUrl = await createOwnDatabase();
  const redisUrl = options.redisUrl ?? inject('redisUrl');
  const prefix = `t${randomUUID().slice(0, 8)}:`;
  const redis = await openRedis(redisUrl, prefix);
  await stayWithinOneMinute(redis);
  const admin = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  // The database is dropped while the last connections are still closing.
  admin.on('error', () => {});
  admin.on('connect', (client) => {
    client.on('error', () => {});
  });
  onTestFinished(async () => {
    await redis.close();
    await admin.end();
  });
  const query = async (text: string, values: unknown[] = []) =>
    (await admin.query(text, values)).rows;
  const key = (owner: QuotaOwner) => `${prefix}lim:{${owner.kind}:${owner.id}}:calls`;
  return {
    databaseUrl,
    redisUrl,
    redis,
    query,
    owner: () => ({ kind: 'account', id: newId(), plan: 'free' }),
    gateway: (gatewayOptions = {}) =>
      openGateway(plansWith(options.plan ?? {}), prefix, {
        databaseUrl,
        redisUrl,
        ...gatewayOptions,
      }),
    async call(limits, owner, kind = 'tool_call') {
      const call_id = newId();
      const admission = await limits.admit({ quota_owner: owner, kind, call_id, facts: FACTS });
      if (admission.admitted)
        limits.record({ ...RECORD, call_id, quota_owner: owner, kind, admission });
      return admission;
    },
    async counter(owner) {
      const value = await redis.commands.hget(key(owner), 'month');
      return value === null ? null : Number(value);
    },
    async ledger(owner) {
      const [row] = await query(
        `SELECT (SELECT count(*) FROM usage_ledger WHERE owner_id = $1 AND counted)::int AS rows,
           coalesce((SELECT sum(calls) FROM usage_month WHERE owner_id = $1), 0)::int AS total`,
        [owner.id],
      );
      return { rows: Number(row?.['rows']), total: Number(row?.['total']) };
    },
  };
}

/** Returns the number of admitted calls. */
export const admittedOf = (answers: readonly Admission[]): number =>
  answers.filter((answer) => answer.admitted).length;

export const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

export const FACTS: CallFacts = {
  account_id: newId(),
  key_id: null,
  credential_kind: null,
  item_id: 'calculator',
  item_name: 'calculator',
  space_id: null,
  arguments: null,
};
const RECORD = { facts: FACTS, outcome: 'ok', layer: 'ok', duration_ms: 3 } as const;

const plansWith = (limits: Partial<Plan['tool_calls']>): Plans => ({
  ...defaultPlans,
  free: {
    ...defaultPlans.free,
    tool_calls: { minute: 1e6, hour: 1e6, day: 1e6, month: 1e6, ...limits },
  },
});

async function openGateway(
  plans: Plans,
  prefix: string,
  options: GatewayOptions & { databaseUrl: string; redisUrl: string },
): Promise<Limits> {
  const redis = await openRedis(options.redisUrl, prefix);
  const database = await createDatabase({ url: options.databaseUrl, onIdleError: () => {} });
  const log = createLog(process.env['TEST_LOG_LEVEL'] ?? 'silent');
  const clock = { now: () => new Date() };
  const limits = createLimits({ redis, database, plans, log, clock });
  if (options.isStarted !== false) limits.start();
  onTestFinished(async () => {
    await limits.stop();
    await redis.close();
    await database.close();
  });
  return limits;
}

export async function openRedis(url: string, prefix: string): Promise<RedisLink> {
  const redis = createRedis(url, prefix, () => {});
  for (const connection of [redis.commands, redis.subscriber])
    if (connection.status !== 'ready') await once(connection, 'ready');
  return redis;
}

/**
 * Waits for a new minute if the current one is nearly over: a window that resets during a test
 * would correctly admit more calls.
 */
async function stayWithinOneMinute(redis: RedisLink): Promise<void> {
  const [seconds = 0] = (await redis.commands.time()).map(Number);
  const left = 60 - (seconds % 60);
  if (left <= 5) await setTimeout(left * 1_000);
}

async function createOwnDatabase(): Promise<string> {
  const name = `limits_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(inject('postgresUrl'));
  await run(url.href, `CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  for (const file of MIGRATIONS) await run(url.href, readFileSync(file, 'utf8'));
  onTestFinished(() => run(inject('postgresUrl'), `DROP DATABASE ${name} WITH (FORCE)`));
  return url.href;
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

import type { Authz } from './authz/authz.ts';
import { ONLY_IN_CHANGES } from './authz/authz.ts';
import { createEngine } from './authz/engine/client.ts';
import type { Engine } from './authz/engine/client.ts';
import { requireDeployment } from './authz/engine/deployment.ts';
import type { HealthProbe, HealthWarning } from './gateway/operations/health.ts';
import type { Mail } from './mail/mail.ts';
import type { Config } from './platform/config/config.ts';
import { createEventLogs } from './platform/observability/create-event-logs.ts';
import type { EventLogs } from './platform/observability/event-logs.ts';
import { createTracing } from './platform/observability/create-tracing.ts';
import { createDatabase, sql } from './platform/postgres/database.ts';
import type { Database } from './platform/postgres/database.ts';
import { createEvents } from './platform/redis/events.ts';
import type { Events } from './platform/redis/events.ts';
import { createLog } from './platform/observability/log.ts';
import type { Log } from './platform/observability/log.ts';
import { createRedis } from './platform/redis/redis.ts';
import type { RedisLink } from './platform/redis/redis.ts';
import type { Tracing } from './platform/observability/tracing.ts';
import { traceEngine } from './traced.ts';

/** Connections to PostgreSQL, Redis and OpenFGA, with the log, tracing and events. */
export interface Connections {
  log: Log;
  tracing: Tracing;
  eventLogs: EventLogs;
  database: Database;
  /** A separate pool: appliers must not queue behind the requests that wait for them. */
  appliersDatabase: Database;
  redis: RedisLink;
  events: Events;
  engine: Engine;
}

/**
 * Opens all connections; throws `DeploymentError` if the database or the store belongs to another
 * version.
 */
export async function connect(config: Config): Promise<Connections> {
  const log = createLog(config.LOG_LEVEL);
  const onIdleError = (error: Error) => log.warn({ err: error }, 'connection lost');
  const options = { url: config.DATABASE_URL, setting: ONLY_IN_CHANGES, onIdleError };
  const database = await createDatabase({ ...options, poolSize: 12 });
  const appliersDatabase = await createDatabase({ ...options, poolSize: 4 });
  try {
    const deployment = await requireDeployment(database, config.OPENFGA_STORE_ID);
    const redis = createRedis(config.REDIS_URL, config.REDIS_PREFIX, onIdleError);
    const tracing = await createTracing(config, log);
    const eventLogs = await createEventLogs(config, log);
    const engine = createEngine({
      apiUrl: config.OPENFGA_API_URL,
      apiToken: config.OPENFGA_API_TOKEN,
      storeId: deployment.store_id,
      modelId: deployment.model_id,
      tupleModelId: deployment.tuple_model_id ?? deployment.model_id,
      deadlineMs: config.OPENFGA_DEADLINE_MS,
      log,
    });
    const events = createEvents(redis, log);
    return {
      ...{ log, tracing, eventLogs, database, appliersDatabase, redis, events },
      engine: traceEngine(engine, tracing),
    };
  } catch (error) {
    await Promise.all([database.close(), appliersDatabase.close()]);
    throw error;
  }
}

export async function disconnect(connections: Connections): Promise<void> {
  const { database, appliersDatabase, redis, tracing, eventLogs } = connections;
  const closed = [database, appliersDatabase, redis].map((one) => one.close());
  await Promise.all([...closed, tracing.stop(), eventLogs.stop()]);
}

/**
 * Returns the health probes. Redis is not required: without it, calls are limited locally, and only
 * 2025-era sessions get 503.
 */
export const healthProbes = (
  { database, redis }: Connections,
  { authz, mail }: { authz: Authz; mail: Mail },
): HealthProbe[] => [
  {
    name: 'postgres',
    required: true,
    probe: async () => void (await database.pool.query(sql.typeAlias('void')`SELECT`)),
  },
  { name: 'redis', required: false, probe: async () => void (await redis.commands.ping()) },
  { name: 'openfga', required: true, probe: authz.requireStore },
  {
    name: 'authorization_backlog',
    required: true,
    async probe() {
      if ((await authz.backlog()).seconds >= 5)
        throw new Error('permission changes are waiting for OpenFGA');
    },
  },
  { name: 'email', required: false, probe: mail.requireDelivery },
];

/** Returns what an operator should look at although the service can serve. */
export const healthWarnings = ({ authz }: { authz: Authz }): HealthWarning[] => [
  { name: 'authz_foreign_writes', isRaised: authz.foreignWrites.isWarned },
];

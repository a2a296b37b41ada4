import { createPgDriverFactory } from '@slonik/pg-driver';
import pg from 'pg';
import { createPool, createSqlTag, SchemaValidationError } from 'slonik';
import type {
  CommonQueryMethods,
  DatabasePool,
  DatabaseTransactionConnection,
  DriverClient,
  DriverFactory,
  PrimitiveValueExpression,
} from 'slonik';
import { z } from 'zod';
import { OperatorError } from '../errors/operator-error.ts';
import { requireResponse, NoResponse, UnansweredCommit } from '../errors/unanswered.ts';
import { withTimeout } from '../concurrency/within.ts';

/** `sql.typeAlias('void')` is for statements without rows; it fails if they return columns. */
export const sql = createSqlTag({ typeAliases: { void: z.strictObject({}) } });

/** Runs statements: a pool of connections, or a transaction. */
export type Queryable = CommonQueryMethods;
export type Transaction = DatabaseTransactionConnection;

export interface Database {
  /** All statements except the authentication query; rows are checked against their schema. */
  pool: DatabasePool;
  /** Only the authentication query: a prepared statement without row schema checks. */
  authPool: HotQueries;
  /**
   * Runs `work` in one transaction; tries up to 3 times on serialization failures and deadlocks.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface HotQueries {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
}

export interface DatabaseOptions {
  url: string;
  poolSize?: number;
  hotPoolSize?: number;
  /** A setting of the sessions of `pool`: `toolgate.projected_rows=refused`. */
  setting?: string;
  /** Called for a dropped idle connection, which must not end the process. */
  onIdleError(error: Error): void;
}

/** Thrown if PostgreSQL is unreachable; the message is for the operator who set `DATABASE_URL`. */
export class NoConnection extends OperatorError {}

export function noConnection(url: string, cause: Error): NoConnection {
  const { host, port } = new pg.Client({ connectionString: url });
  const why = `Cannot connect to PostgreSQL at ${host}:${port}: ${cause.message}.`;
  return new NoConnection(`${why} Is it running, and is DATABASE_URL correct?`, { cause });
}

const CONNECT_MS = 1_000;
const STATEMENT_MS = 2_000;
// Longer than the server's own limit, since its error never arrives when packets are dropped.
const SILENCE_MS = 2_200;
const TERMINATION_MS = 200;
const TRANSACTION_TRIES = 3;

/**
 * Connects once and throws `NoConnection` on failure; timeouts are those of `reliability.md` 1.2.
 */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
  const slonik = await createPool(withSetting(options.url, options.setting), {
    maxPoolSize: options.poolSize ?? 10,
    connectionTimeout: CONNECT_MS,
    connectionRetryLimit: 0,
    statementTimeout: STATEMENT_MS,
    idleInTransactionSessionTimeout: 10_000,
    idleTimeout: 30_000,
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    captureStackTrace: false,
    // The default costs a round trip per release for DISCARD ALL; we leave no session state.
    resetConnection: async () => {},
    driverFactory: createDriverWithDeadline,
    // An unresponsive connection does not respond to its termination either.
    gracefulTerminationTimeout: TERMINATION_MS,
    typeParsers,
    interceptors: [checkRows],
  }).catch((error: Error) => {
    throw noConnection(options.url, error);
  });
  slonik.on('error', options.onIdleError);
  const pool = rejectWhenClosed(slonik);
  const hot = new pg.Pool({
    connectionString: options.url,
    max: options.hotPoolSize ?? 4,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    statement_timeout: STATEMENT_MS,
    keepAlive: true,
    // By default PostgreSQL replans this query on each execution once the tables are large, which
    // takes seven times as long as running it.
    options: '-c plan_cache_mode=force_generic_plan',
    types: { getTypeParser: (oid: number) => hotParsers.get(oid) ?? ((text: string) => text) },
  });
  hot.on('error', options.onIdleError);
  return {
    pool,
    authPool: { query: (query, values) => requireResponse(hot.query(query, values)) },
    transaction: (work) => retryRolledBack(() => transactionOf(pool, work)),
    async close() {
      await Promise.allSettled([slonik.end(), hot.end()]);
    },
  };
}

/**
 * Returns queries in the text form of `authPool` that run in a transaction and see its rows. Their
 * rows are text and numbers, which both pools parse alike.
 */
export const hotQueriesIn = (transaction: Transaction): HotQueries => ({
  async query<Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values: unknown[] = [],
  ) {
    const { text, values: own = values } = typeof query === 'string' ? { text: query } : query;
    const { rows } = await transaction.query({
      ...{ ...sql.type(z.any())``, sql: text },
      values: own as PrimitiveValueExpression[],
    });
    return { rows: rows as readonly Row[] } as pg.QueryResult<Row>;
  },
});

/** Returns the URL with a setting in addition to those it has. */
function withSetting(url: string, setting: string | undefined): string {
  if (setting === undefined) return url;
  const parsed = new URL(url);
  const own = parsed.searchParams.get('options');
  parsed.searchParams.set('options', own === null ? `-c ${setting}` : `${own} -c ${setting}`);
  return parsed.href;
}

/** Throws `Unanswered` for a closed pool, where slonik throws the same error as for misuse. */
const rejectWhenClosed = (pool: DatabasePool): DatabasePool =>
  new Proxy(pool, {
    get: (target, name) =>
      target.state().state === 'ACTIVE'
        ? Reflect.get(target, name)
        : () => Promise.reject(new NoResponse('The connection pool is closed')),
  });

const createDriverWithDeadline: DriverFactory = async (setup) => {
  const driver = await createPgDriverFactory()(setup);
  return { createClient: async () => withDeadline(await driver.createClient()) };
};

/** Closes the connection of a query that gets no response, so that nothing waits forever. */
function withDeadline(client: DriverClient): DriverClient {
  return {
    ...client,
    async query(...query) {
      return requireResponse(
        withTimeout(client.query(...query), SILENCE_MS, () => {
          client.destroy().catch(() => {});
          return new NoResponse('PostgreSQL query timed out');
        }),
      );
    },
  };
}

/** Runs a transaction; throws `UnansweredCommit` unless an error shows that it was rolled back. */
async function transactionOf<T>(
  pool: DatabasePool,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let isCommitting = false;
  try {
    return await pool.transaction(async (transaction) => {
      const result = await work(transaction);
      isCommitting = true;
      return result;
    });
  } catch (error) {
    if (!isCommitting || ROLLED_BACK.test(sqlState(error) ?? '')) throw error;
    throw new UnansweredCommit('PostgreSQL did not respond to COMMIT', { cause: error });
  }
}

// A COMMIT fails by a deferred constraint, a timeout, a conflict, or on a standby.
const ROLLED_BACK = /^(?:23|25|40)|^57014$/;

async function retryRolledBack<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= TRANSACTION_TRIES || !isRollback(error)) throw error;
    }
  }
}

// 40001 serialization failure, 40P01 deadlock: the transaction was rolled back, so a retry is safe.
const isRollback = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '');

/** Returns the SQLSTATE of a database error, regardless of where the driver put it, or null. */
export function sqlState(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = (cause as { code?: unknown }).code;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return null;
}

/** Returns the name of the violated constraint (`api_key_active_name_unique`), or null. */
export function violatedConstraint(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const name = (cause as { constraint?: unknown }).constraint;
    if (typeof name === 'string') return name;
  }
  return null;
}

const timestamp = (text: string) => new Date(text).toISOString();

// Timestamps are ISO 8601 strings from the column to the client, so no code maps them.
const typeParsers = [
  { name: 'int8', parse: Number },
  { name: 'numeric', parse: Number },
  { name: 'timestamptz', parse: timestamp },
  { name: 'date', parse: (text: string) => text },
];

const OID = { bool: 16, int8: 20, int4: 23, json: 114, textArray: 1009, timestamptz: 1184 };
const JSONB = 3802;
const BYTEA = 17;
const hotParsers = new Map<number, (text: string) => unknown>([
  [OID.bool, (text) => text === 't'],
  [OID.int8, Number],
  [OID.int4, Number],
  [OID.json, JSON.parse],
  [JSONB, JSON.parse],
  [OID.timestamptz, timestamp],
  [OID.textArray, (text) => pg.types.getTypeParser(OID.textArray)(text)],
  [BYTEA, (text) => Buffer.from(text.slice(2), 'hex')],
]);

// The cast is to slonik's row type, which is wider than what a standard schema returns.
const checkRows = {
  name: 'check-rows',
  transformRow(context, query, row) {
    const schema = context.resultParser;
    if (!schema) return row;
    const checked = schema['~standard'].validate(row);
    if (checked instanceof Promise) throw new TypeError('row schemas must be synchronous');
    if (checked.issues) throw new SchemaValidationError(query, row, checked.issues);
    return checked.value as typeof row;
  },
} satisfies Parameters<typeof createPool>[1] extends infer Options
  ? Options extends { interceptors?: readonly (infer Interceptor)[] }
    ? Interceptor
    : never
  : never;

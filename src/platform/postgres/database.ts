import { createPgDriverFactory } from '@slonik/pg-driver';
import pg from 'pg';
import { createPool, createSqlTag, SchemaValidationError } from 'slonik';
import type {
  CommonQueryMethods,
  DatabasePool,
  DatabaseTransactionConnection,
  DriverClient,
  DriverFactory,
} from 'slonik';
import { z } from 'zod';
import { OperatorError } from '../errors/operator-error.ts';
import { requireAnswer, Unanswered } from '../errors/unanswered.ts';
import { within } from '../concurrency/within.ts';

/** `sql.typeAlias('void')` is for statements without rows; a column of theirs fails them. */
export const sql = createSqlTag({ typeAliases: { void: z.strictObject({}) } });

export type Connection = CommonQueryMethods;
export type Transaction = DatabaseTransactionConnection;

export interface Database {
  /** Every statement but the authentication query; rows are checked against their schema. */
  pool: DatabasePool;
  /** The authentication query alone: a prepared statement, without a row schema in its way. */
  hot: HotQueries;
  /** Runs `work` in one transaction; a serialization failure or deadlock is tried again, ≤ 3. */
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
  /** A dropped idle connection is no reason to end the process. */
  onIdleError(error: Error): void;
}

/** PostgreSQL cannot be had at all; the message is for whoever set `DATABASE_URL`. */
export class NoConnection extends OperatorError {}

export function noConnection(url: string, cause: Error): NoConnection {
  const { host, port } = new pg.Client({ connectionString: url });
  const why = `PostgreSQL at ${host}:${port} gives no connection: ${cause.message}.`;
  return new NoConnection(`${why} Is it up, and is DATABASE_URL right?`, { cause });
}

const CONNECT_MS = 1_000;
const STATEMENT_MS = 2_000;
// Later than the server's own limit, which is lost with the connection in a black hole.
const SILENCE_MS = 2_200;
const GOODBYE_MS = 200;
const TRANSACTION_TRIES = 3;

/** Throws `NoConnection`, since it connects once; deadlines are those of `reliability.md` 1.2. */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
  const pool = await createPool(options.url, {
    maxPoolSize: options.poolSize ?? 10,
    connectionTimeout: CONNECT_MS,
    connectionRetryLimit: 0,
    statementTimeout: STATEMENT_MS,
    idleInTransactionSessionTimeout: 10_000,
    idleTimeout: 30_000,
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    captureStackTrace: false,
    // The default runs DISCARD ALL, a round trip on each release; we leave no session state.
    resetConnection: async () => {},
    driverFactory: createImpatientDriver,
    // A connection that gave no answer gives none to the goodbye either.
    gracefulTerminationTimeout: GOODBYE_MS,
    typeParsers,
    interceptors: [checkRows],
  }).catch((error: Error) => {
    throw noConnection(options.url, error);
  });
  pool.on('error', options.onIdleError);
  const hot = new pg.Pool({
    connectionString: options.url,
    max: options.hotPoolSize ?? 4,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    statement_timeout: STATEMENT_MS,
    keepAlive: true,
    // Left to itself PostgreSQL plans this query anew each time once the tables are large, which
    // takes seven times as long as running it.
    options: '-c plan_cache_mode=force_generic_plan',
    types: { getTypeParser: (oid: number) => hotParsers.get(oid) ?? ((text: string) => text) },
  });
  hot.on('error', options.onIdleError);
  return {
    pool,
    hot: { query: (query, values) => requireAnswer(hot.query(query, values)) },
    transaction: (work) => retrying(() => pool.transaction(work)),
    async close() {
      await Promise.allSettled([pool.end(), hot.end()]);
    },
  };
}

const createImpatientDriver: DriverFactory = async (setup) => {
  const driver = await createPgDriverFactory()(setup);
  return { createClient: async () => withDeadline(await driver.createClient()) };
};

/** Ends the connection of a query that gets no answer at all, so that nothing waits for ever. */
function withDeadline(client: DriverClient): DriverClient {
  return {
    ...client,
    async query(...query) {
      return requireAnswer(
        within(client.query(...query), SILENCE_MS, () => {
          client.destroy().catch(() => {});
          return new Unanswered('PostgreSQL did not answer in time');
        }),
      );
    },
  };
}

async function retrying<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= TRANSACTION_TRIES || !isRollback(error)) throw error;
    }
  }
}

// 40001 serialization failure, 40P01 deadlock: nothing was done, so it is safe to do it again.
const isRollback = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '');

/** The SQLSTATE of a database error, wherever the driver put it, or null. */
export function sqlState(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return null;
}

/** The name of the violated constraint (`api_key_active_name_unique`), or null. */
export function violatedConstraint(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const name = (at as { constraint?: unknown }).constraint;
    if (typeof name === 'string') return name;
  }
  return null;
}

const timestamp = (text: string) => new Date(text).toISOString();

// Times travel as ISO 8601 strings from the column to the wire, so nothing maps them on the way.
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

// The cast is of slonik's row type, which is wider than what a standard schema hands back.
const checkRows = {
  name: 'check-rows',
  transformRow(context, query, row) {
    const schema = context.resultParser;
    if (!schema) return row;
    const checked = schema['~standard'].validate(row);
    if (checked instanceof Promise) throw new TypeError('row schemas are synchronous');
    if (checked.issues) throw new SchemaValidationError(query, row, checked.issues);
    return checked.value as typeof row;
  },
} satisfies Parameters<typeof createPool>[1] extends infer Options
  ? Options extends { interceptors?: readonly (infer Interceptor)[] }
    ? Interceptor
    : never
  : never;

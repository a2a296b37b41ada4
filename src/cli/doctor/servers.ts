import { createEngine } from '../../authz/engine/client.ts';
import type { Engine } from '../../authz/engine/client.ts';
import { epochAgrees, requireDeployment } from '../../authz/engine/deployment.ts';
import { createMailTransport } from '../../mail/transport.ts';
import { findPending, MigrationError } from '../../migrate.ts';
import type { Config } from '../../platform/config/config.ts';
import { createDatabase, sqlState } from '../../platform/postgres/database.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { countByKey } from '../../platform/postgres/reencrypt.ts';
import { createSecrets } from '../../platform/secrets.ts';
import { encryptedColumns } from '../../rotation.ts';
import { createService } from '../../service.ts';
import { readGatewayTime } from './ask-gateway.ts';
import { clockResult } from './clocks.ts';
import { failure, messageOf, ok, sharedWork, Skipped, warning } from './finding.ts';
import type { Checks, Result } from './finding.ts';
import { openRedis } from './redis.ts';

const POSTGRES_MAJOR = 18;
/** Connections of a gateway process (docs/operations.md). */
const CONNECTIONS = 20;
const OPENFGA_MS = 3_000;
const SMTP_MS = 10_000;
const UNDEFINED_TABLE = '42P01';

/** Returns the checks of PostgreSQL, Redis, OpenFGA and the mail server; `close` ends them. */
export function serverChecks(config: Config, { drift }: { drift: boolean }) {
  const open = sharedWork(() =>
    createDatabase({ url: config.DATABASE_URL, poolSize: 4, onIdleError() {} }),
  );
  const requireDatabase = () =>
    open().catch(() => {
      throw new Skipped('PostgreSQL is not reachable.');
    });
  const redis = openRedis(config);
  const model = async () => checkModel(await requireDatabase(), config);
  const checks: Checks = {
    postgresql: () => checkPostgres(open, config.WORKERS),
    migrations: async () => checkMigrations(await requireDatabase()),
    stored_secrets: async () => checkStoredSecrets(await requireDatabase(), config),
    redis: redis.check,
    openfga: model,
    // Not repeated when it finds something: comparing many tuples takes minutes.
    ...(drift ? { drift: sharedWork(async () => checkDrift(config, await model())) } : {}),
    smtp: () => checkMail(config),
    clocks: async () =>
      clockResult({
        PostgreSQL: async () => readTime(await requireDatabase()),
        Redis: redis.readTime,
        'the gateway': () => readGatewayTime(config),
      }),
  };
  return {
    checks,
    async close() {
      redis.close();
      await open().then(
        (database) => database.close(),
        () => {},
      );
    },
  };
}

async function checkPostgres(open: () => Promise<Database>, workers: number): Promise<Result> {
  const database = await open().catch((error: Error) => error);
  if (database instanceof Error)
    return failure(messageOf(database), 'Start PostgreSQL, or correct DATABASE_URL.');
  const { rows } = await database.authPool.query<{
    version: string;
    standby: boolean;
    most: number;
  }>(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
       current_setting('max_connections')::int AS most`,
  );
  const { version, standby, most } = rows[0]!;
  if (standby)
    return failure(
      'DATABASE_URL points to a standby, which accepts revoked keys.',
      'Set DATABASE_URL to the primary.',
    );
  if (Number.parseInt(version, 10) !== POSTGRES_MAJOR)
    return warning(
      `PostgreSQL ${version} is not tested.`,
      `Upgrade the server to PostgreSQL ${POSTGRES_MAJOR}.`,
    );
  if (most < CONNECTIONS * workers)
    return warning(
      `max_connections is ${most}, but ${workers} processes use up to ${CONNECTIONS * workers}.`,
      'Raise max_connections of PostgreSQL, or lower WORKERS.',
    );
  return ok(`PostgreSQL ${version}, the primary, with ${most} connections`);
}

const MIGRATE = 'Run: npm run migrate';

async function checkMigrations({ authPool }: Database): Promise<Result> {
  try {
    const pending = await findPending(authPool);
    return pending.length === 0
      ? ok('All migrations have run.')
      : failure(`${pending.length} migrations have not run, first ${pending[0]!.name}.`, MIGRATE);
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return failure('The database is empty.', MIGRATE);
    if (!(error instanceof MigrationError)) throw error;
    return failure(error.message, 'Run the version of toolgate that this database belongs to.');
  }
}

/** Checks that every stored secret was encrypted with a key that this configuration has. */
async function checkStoredSecrets({ pool }: Database, config: Config): Promise<Result> {
  const { SECRETS_KEY, SECRETS_KEY_FALLBACKS: fallbacks } = config;
  const { keyIds } = createSecrets(SECRETS_KEY, { fallbacks });
  for (const [name, column] of encryptedColumns)
    for (const [id, count] of await countByKey(pool, column).catch(skipUnmigrated))
      if (!keyIds.includes(id))
        return failure(
          `${name}: ${count} cannot be decrypted; they need key ${id}.`,
          'Set SECRETS_KEY to the key of the other gateways, or add it to SECRETS_KEY_FALLBACKS.',
        );
  return ok('SECRETS_KEY decrypts all stored secrets.');
}

function skipUnmigrated(error: unknown): never {
  if (sqlState(error) === UNDEFINED_TABLE) throw new Skipped('migrations have not run.');
  throw error;
}

/** Checks that OpenFGA has the model of this code, in a store that belongs to this database. */
async function checkModel(database: Database, config: Config): Promise<Result> {
  const deployed = await requireDeployment(database, config.OPENFGA_STORE_ID).catch(
    (error: unknown) => {
      if (sqlState(error) !== null) skipUnmigrated(error);
      return error as Error;
    },
  );
  if (deployed instanceof Error)
    return failure(messageOf(deployed), `${MIGRATE}, and compare OPENFGA_STORE_ID.`);
  const engine = createEngine({
    ...{ apiUrl: config.OPENFGA_API_URL, apiToken: config.OPENFGA_API_TOKEN },
    ...{ storeId: deployed.store_id, modelId: deployed.model_id, deadlineMs: OPENFGA_MS },
  });
  return (
    (await findModelFault(engine, deployed.epoch)) ?? ok('OpenFGA has the model of this code.')
  );
}

async function findModelFault(engine: Engine, epoch: string): Promise<Result | null> {
  try {
    await engine.readModel();
  } catch (error) {
    return failure(
      `OpenFGA does not return the model: ${messageOf(error)}`,
      'Check OPENFGA_API_URL, OPENFGA_API_TOKEN and OPENFGA_STORE_ID, and that OpenFGA runs.',
    );
  }
  return (await epochAgrees(engine, epoch))
    ? null
    : failure(
        'The store and the database do not match: one of them was restored or emptied.',
        'Run: npx toolgate drift --repair (docs/operations.md, “Restoring a backup”)',
      );
}

/** Compares all tuples with the rows they are derived from. */
async function checkDrift(config: Config, { status }: Result): Promise<Result> {
  if (status !== 'ok') throw new Skipped('OpenFGA does not have the model of this code.');
  const service = await createService({ ...config, LOG_LEVEL: 'silent' });
  let differing = 0;
  try {
    for await (const { unregistered } of service.drift({ repair: false }))
      if (unregistered === undefined) differing += 1;
  } finally {
    await service.close();
  }
  return differing === 0
    ? ok('The tuples in OpenFGA match the rows in PostgreSQL.')
    : failure(
        `The tuples of ${differing} scopes differ from their rows.`,
        'Run: npx toolgate drift, then with --repair',
      );
}

async function checkMail({ SMTP_URL: url, MAIL_FROM: from }: Config): Promise<Result> {
  const transport = createMailTransport({ url, from, hostname: 'localhost', verifyMs: SMTP_MS });
  const { host } = new URL(url);
  try {
    await transport.verify();
    return ok(`The mail server at ${host} accepts a session.`);
  } catch (error) {
    return failure(
      `The mail server at ${host} refuses a session: ${messageOf(error)}`,
      'Check SMTP_URL and its credentials. Until it works, nobody can sign up or reset a password.',
    );
  } finally {
    transport.close();
  }
}

async function readTime({ authPool }: Database): Promise<number> {
  const { rows } = await authPool.query<{ ms: string }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  return Number(rows[0]!.ms);
}

import { expect, test } from 'vitest';
import { createEngine } from '../../../src/authz/engine/client.ts';
import { useEmptyDatabase } from '../../support/servers/empty-database.ts';
import { shiftedClock } from '../../support/worlds/shifted-clock.ts';
import { useWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';
import { useOwnRedis } from '../limits/own-redis.ts';
import { diagnoseApart, diagnoseHere, randomKey, runDoctor } from './run-doctor.ts';
import type { Env } from './run-doctor.ts';

const NOBODY = '127.0.0.1:1';
const DRIFT = { drift: true };

/** Creates a deployment of which the doctor finds nothing, and its gateway. */
async function useHealthy() {
  const redis = await useOwnRedis();
  await redis.admin.config('SET', 'appendonly', 'yes');
  const world = await useWorld({ REDIS_URL: redis.url, SECRETS_KEY: randomKey() });
  const gateway = await world.gateway();
  const env: Env = {
    ...world.env,
    OPENFGA_DEADLINE_MS: '2000',
    PUBLIC_URL: gateway.config.PUBLIC_URL,
  };
  return { world, gateway, redis: redis.admin, env };
}

test('nothing is found in a healthy deployment, and the exit code is 0', async () => {
  const { env } = await useHealthy();

  const { code, findings, faults } = await diagnoseHere(env, DRIFT);
  const text = await runDoctor(env);

  expect(faults).toEqual([]);
  expect(findings.map(({ status }) => status)).toEqual(findings.map(() => 'ok'));
  expect(code).toBe(0);
  expect(text).toMatchObject({ code: 0, output: expect.stringMatching(/Everything is fine\.\n$/) });
  for (const { check } of findings) expect(text.output).toContain(` ${check} `);
}, 240_000);

test('wrong settings of Redis and PostgreSQL are warnings, and the exit code is 1', async () => {
  const { env, redis } = await useHealthy();

  await redis.config('SET', 'appendonly', 'no');
  const volatile = await diagnoseHere({ ...env, WORKERS: '64' });
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const evicting = await diagnoseHere(env);

  expect(volatile).toMatchObject({
    code: 1,
    faults: ['postgresql: warning', 'redis: warning'],
    of: {
      postgresql: { message: expect.stringContaining('max_connections') },
      redis: { message: expect.stringContaining('appendonly no') },
    },
  });
  expect(evicting).toMatchObject({
    code: 1,
    faults: ['redis: warning'],
    of: { redis: { message: expect.stringContaining('allkeys-lru') } },
  });
});

test('servers that do not answer are failures, and what depends on them is skipped', async () => {
  const { env } = await useHealthy();

  const gone = await diagnoseHere(
    {
      ...env,
      DATABASE_URL: `postgres://${NOBODY}/toolgate`,
      REDIS_URL: `redis://${NOBODY}`,
      SMTP_URL: `smtp://${NOBODY}`,
    },
    DRIFT,
  );
  const withoutOpenfga = await diagnoseHere({ ...env, OPENFGA_API_URL: `http://${NOBODY}` }, DRIFT);

  expect(gone).toMatchObject({
    code: 2,
    faults: ['postgresql: failure', 'redis: failure', 'smtp: failure'],
    of: {
      migrations: { status: 'skipped' },
      stored_secrets: { status: 'skipped' },
      openfga: { status: 'skipped' },
      drift: { status: 'skipped' },
      public_url: { status: 'ok' },
    },
  });
  for (const check of ['postgresql', 'redis', 'smtp'])
    expect(gone.of[check]).toMatchObject({
      message: expect.stringContaining('ECONNREFUSED'),
      remedy: expect.any(String),
    });
  expect(withoutOpenfga).toMatchObject({
    code: 2,
    faults: ['openfga: failure'],
    of: { drift: { status: 'skipped' } },
  });
});

test('migrations that have not run, were changed or are unknown are failures', async () => {
  const { env, world } = await useHealthy();
  const [last] = await world.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migration ORDER BY name DESC LIMIT 1',
  );
  const messageOf = async () => (await diagnoseHere(env)).of['migrations'];

  await world.query('DELETE FROM schema_migration WHERE name = $1', [last!.name]);
  const pending = await messageOf();
  await world.query('INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)', [
    last!.name,
    'other',
  ]);
  const changed = await messageOf();
  await world.query("UPDATE schema_migration SET name = '9999_newer.sql' WHERE name = $1", [
    last!.name,
  ]);
  const newer = await messageOf();
  const empty = await diagnoseHere({ ...env, DATABASE_URL: (await useEmptyDatabase()).url }, DRIFT);

  expect(pending).toMatchObject({
    status: 'failure',
    message: `1 migrations have not run, first ${last!.name}.`,
    remedy: 'Run: npm run migrate',
  });
  expect(changed).toMatchObject({ status: 'failure', message: expect.stringContaining('changed') });
  expect(newer).toMatchObject({
    status: 'failure',
    message: expect.stringContaining('9999_newer'),
  });
  expect(empty).toMatchObject({
    code: 2,
    of: {
      migrations: { status: 'failure', message: expect.stringContaining('empty') },
      stored_secrets: { status: 'skipped' },
      openfga: { status: 'skipped' },
      drift: { status: 'skipped' },
    },
  });
});

test('a key that does not decrypt what is stored is a failure', async () => {
  const { env, gateway } = await useHealthy();
  // Creates the first signing key.
  expect((await fetch(`${gateway.url}/oauth/jwks`)).status).toBe(200);

  const { of } = await diagnoseHere({ ...env, SECRETS_KEY: randomKey() });

  expect(of).toMatchObject({
    stored_secrets: {
      status: 'failure',
      message: expect.stringContaining('OAuth signing keys: 1 cannot be decrypted'),
    },
    gateway: { status: 'failure', message: expect.stringContaining('404') },
    headers: { status: 'skipped' },
  });
});

test('another model, another store and a restored store are failures', async () => {
  const { env, world } = await useHealthy();
  const [deployed] = await world.query<{ model_hash: string; epoch: string }>(
    'SELECT model_hash, epoch FROM authz_deployment',
  );

  const otherStore = await diagnoseHere({ ...env, OPENFGA_STORE_ID: 'another' }, DRIFT);
  await world.query("UPDATE authz_deployment SET model_hash = 'other'");
  const otherModel = await diagnoseHere(env, DRIFT);
  await world.query('UPDATE authz_deployment SET model_hash = $1, epoch = $2', [
    deployed!.model_hash,
    crypto.randomUUID(),
  ]);
  const restored = await diagnoseHere(env, DRIFT);

  const messages = [otherStore, otherModel, restored].map(({ code, of }) => [
    code,
    of['openfga']!.message,
    of['drift']!.status,
  ]);
  expect(messages).toEqual([
    [2, expect.stringContaining('this database belongs to'), 'skipped'],
    [2, expect.stringContaining('The published authorization model differs'), 'skipped'],
    [2, expect.stringContaining('do not match'), 'skipped'],
  ]);
});

test('a tuple that no row explains is a failure of drift', async () => {
  const { env, world } = await useHealthy();
  await plantTuple(world);

  expect(await diagnoseHere(env, DRIFT)).toMatchObject({
    code: 2,
    faults: ['drift: failure'],
    of: { drift: { remedy: expect.stringContaining('npx toolgate drift') } },
  });
});

test('a clock that differs from those of the servers is a warning', async () => {
  const { env } = await useHealthy();

  const { of } = await diagnoseApart({ ...env, ...shiftedClock(60_000) }, ['--no-drift']);

  expect(of['clocks']).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(
      /^(?:The clock of (?:PostgreSQL|Redis|the gateway) is (?:59|60|61) s behind\.(?: |$)){3}$/,
    ),
  });
}, 240_000);

/** Writes a tuple as something other than the gateway would. */
async function plantTuple({ env, query }: World): Promise<void> {
  const [deployed] = await query<{ model_id: string }>('SELECT model_id FROM authz_deployment');
  const engine = createEngine({
    apiUrl: env['OPENFGA_API_URL']!,
    apiToken: env['OPENFGA_API_TOKEN'],
    storeId: env['OPENFGA_STORE_ID']!,
    modelId: deployed!.model_id,
    deadlineMs: 5_000,
  });
  const id = crypto.randomUUID();
  const tuple = { user: `user:${id}`, relation: 'session', object: `account:${id}` };
  expect(await engine.write({ writes: [tuple], deletes: [] })).toBe('written');
}

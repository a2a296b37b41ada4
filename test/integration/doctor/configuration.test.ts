import { chmodSync, cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newFolder } from '../../support/servers/npm-start.ts';
import { diagnoseApart, diagnoseHere, randomKey, runDoctor } from './run-doctor.ts';
import type { Env } from './run-doctor.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Valid settings of a deployment whose servers do not run: only the configuration is of interest. */
const NOBODY = '127.0.0.1:1';
const env: Env = {
  DATABASE_URL: `postgres://${NOBODY}/toolgate`,
  REDIS_URL: `redis://${NOBODY}`,
  OPENFGA_API_URL: `http://${NOBODY}`,
  OPENFGA_STORE_ID: 'store',
  SMTP_URL: `smtp://${NOBODY}`,
  SECRETS_KEY: randomKey(),
  PUBLIC_URL: `http://${NOBODY}`,
};

const CHECKS = ['node', 'settings', 'secrets_key', 'data_folder', 'dashboard', 'mail_from'];

const configurationOf = async (settings: Env) => {
  const { faults, of } = await diagnoseHere({ ...env, ...settings });
  return { of, faults: faults.filter((fault) => CHECKS.includes(fault.split(':')[0]!)) };
};

test('valid settings pass, and each wrong one is named without its value', async () => {
  const valid = await configurationOf({});
  const invalid = await diagnoseHere({
    ...env,
    PORT: 'secret-port',
    SMTP_URL: '',
    TOOLGATE_X: '1',
  });
  const several = await diagnoseHere({ ...env, PORT: 'secret-port', SMTP_URL: '' });

  expect(valid.faults).toEqual([]);
  expect(invalid).toMatchObject({
    code: 2,
    faults: ['settings: failure'],
    of: { settings: { message: expect.stringContaining('TOOLGATE_X') } },
  });
  expect(invalid.findings.map(({ check }) => check)).toEqual(['node', 'settings']);
  expect(several.of['settings']!.message).toMatch(/PORT: .* SMTP_URL is not set/);
  expect(several.of['settings']!.message).not.toContain('secret-port');
});

test('a key of words, of repetitions or of one that is being replaced is found', async () => {
  const statusOf = async (settings: Env) =>
    (await configurationOf(settings)).of['secrets_key']!.status;

  expect({
    words: await statusOf({ SECRETS_KEY: 'please-change-this-secret-key-now-ok' }),
    repeated: await statusOf({ SECRETS_KEY: 'x'.repeat(64) }),
    rotating: await statusOf({ SECRETS_KEY_FALLBACKS: randomKey() }),
    random: await statusOf({ SECRETS_KEY: randomKey() }),
  }).toEqual({ words: 'failure', repeated: 'failure', rotating: 'warning', random: 'ok' });
});

test('a data folder whose secrets others can read is a failure', async () => {
  const folder = newFolder();
  const file = join(folder, 'secrets-key');
  writeFileSync(file, 'x', { mode: 0o600 });

  const closed = await configurationOf({ DATA_DIR: folder });
  chmodSync(file, 0o644);
  const open = await configurationOf({ DATA_DIR: folder });

  expect(closed.faults).toEqual([]);
  expect(open.faults).toEqual(['data_folder: failure']);
  expect(open.of['data_folder']!.message).toContain('secrets-key');
});

test('a sender on localhost is found unless the gateway is on loopback', async () => {
  const { faults } = await configurationOf({ PUBLIC_URL: 'https://gate.invalid' });

  expect(faults).toEqual(['mail_from: warning']);
});

test('a checkout whose dashboard is not built is found', async () => {
  const folder = newFolder();
  for (const name of ['src', 'migrations', 'authz-model', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

  const { of } = await diagnoseApart(env, ['--no-drift'], join(folder, 'src/cli/main.ts'));

  expect(of['dashboard']!.status).toBe('warning');
}, 240_000);

test('a person reads each finding on a line with its remedy below', async () => {
  const { code, output } = await runDoctor({ ...env, SECRETS_KEY: 'x'.repeat(64) });

  expect(code).toBe(2);
  expect(output).toMatch(
    / {2}failure {2}secrets_key +SECRETS_KEY is not random.*\n +→ Generate one with/,
  );
  expect(output).toMatch(/Failures: \d+\. Warnings: 0\. Not checked: \d+\.\n$/);
}, 240_000);

import { readFileSync } from 'node:fs';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { createAltcha } from '../../../src/accounts/captcha/altcha.ts';
import type { Difficulty } from '../../../src/accounts/captcha/altcha.ts';
import { createPasswords } from '../../../src/accounts/passwords/passwords.ts';
import type { HashCost } from '../../../src/accounts/passwords/passwords.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import type { Config } from '../../../src/platform/config/config.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { createService } from '../../../src/service.ts';
import type { Service, ServiceOverrides } from '../../../src/service.ts';
import { createDeployment } from '../servers/deployment.ts';
import { freePort } from '../servers/free-port.ts';
import { createMailbox } from '../people/mailbox.ts';
import type { Mailbox } from '../people/mailbox.ts';
import { closeLeftOpen, recordOpen } from './left-open.ts';

/** A separate deployment: database, OpenFGA store, Redis prefix, mailbox; gateways on demand. */
export interface World {
  env: Record<string, string>;
  mailbox: Mailbox;
  /** Starts a gateway of this world; several share its servers like instances behind a balancer. */
  gateway(options?: GatewayOptions): Promise<Gateway>;
  /** Runs SQL as the test, bypassing the service. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  env?: Record<string, string>;
  overrides?: ServiceOverrides;
}

export interface Gateway {
  url: string;
  config: Config;
  service: Service;
}

/** Creates a world, which the caller closes. Use `useGateway` for a file, `useWorld` for a test. */
export async function createWorld(env: Record<string, string> = {}): Promise<World> {
  await closeLeftOpen();
  const deployment = await createDeployment();
  const mailbox = await createMailbox();
  const base: Record<string, string> = {
    ...deployment.env,
    SMTP_URL: mailbox.url,
    SECRETS_KEY: 'test-secret-root-'.repeat(3),
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    ...(process.env['AUTHZ_CACHE'] ? { AUTHZ_CACHE: process.env['AUTHZ_CACHE'] } : {}),
    ...env,
  };
  const admin = new pg.Pool({ connectionString: deployment.databaseUrl, max: 2 });
  admin.on('error', () => {});
  const gateways: Gateway[] = [];
  const close = recordOpen(async () => {
    try {
      await Promise.all(gateways.map((gateway) => gateway.service.close()));
      await Promise.all([mailbox.close(), admin.end()]);
    } finally {
      await deployment.remove();
    }
  });
  return {
    env: base,
    mailbox,
    async gateway(options = {}) {
      const settings = { ...base, ...options.env };
      // A busy machine may exceed the default. Behind a proxy, outages are to last no longer.
      const isDirect = settings['OPENFGA_API_URL'] === deployment.openfga.apiUrl;
      const patience = isDirect ? { OPENFGA_DEADLINE_MS: '2000' } : {};
      const gateway = await startGateway({ ...patience, ...settings }, options.overrides);
      gateways.push(gateway);
      return gateway;
    },
    async query(text, values = []) {
      return (await admin.query(text, values)).rows;
    },
    close,
  };
}

/** Creates a world for one test and closes it afterwards. */
export async function useWorld(env: Record<string, string> = {}): Promise<World> {
  const world = await createWorld(env);
  onTestFinished(world.close);
  return world;
}

// Really solved and verified, but in about a millisecond, since most tests sign people up.
const EASY: Difficulty = { algorithm: 'SHA-256', cost: 1, counter: [50, 200] };
// Real hashes too, but a hundred times cheaper.
const CHEAP: HashCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

async function startGateway(
  env: Record<string, string>,
  overrides: ServiceOverrides = {},
): Promise<Gateway> {
  const port = await freePort();
  const config = loadConfig({ PORT: String(port), ...env }, (path) => readFileSync(path, 'utf8'));
  const fallbacks = config.SECRETS_KEY_FALLBACKS;
  const secrets = createSecrets(config.SECRETS_KEY, { fallbacks });
  const captcha = createAltcha(secrets.subkeys('captcha'), EASY);
  const isOurs = config.CAPTCHA === 'altcha';
  const cheap = { ...(isOurs ? { captcha } : {}), passwords: createPasswords(CHEAP) };
  const service = await createService(config, { ...cheap, ...overrides });
  await service.listen();
  return { url: `http://127.0.0.1:${config.PORT}`, config, service };
}

// npm start: brings up the servers, migrates, publishes the model, serves, and says where.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS_FILE } from './cli/operator-config.ts';
import { serve } from './main.ts';
import { migrate } from './migrate.ts';
import { loadConfig, Settings } from './platform/config/config.ts';
import type { Config } from './platform/config/config.ts';
import { lastWords } from './platform/errors/operator-error.ts';
import { keepStore } from './stack/openfga.ts';
import { findFreePorts, isPortFree } from './stack/ports.ts';
import { keepSecret } from './stack/secret-file.ts';
import { bringUp, refuseSecondStart } from './stack/stack.ts';
import type { Stack } from './stack/stack.ts';
import { Unavailable } from './stack/unavailable.ts';

type Env = Record<string, string | undefined>;

// Valid values for what the servers will fill in, so that a wrong setting is told before they run.
const STAND_INS = {
  DATABASE_URL: 'postgres://127.0.0.1/toolgate',
  REDIS_URL: 'redis://127.0.0.1',
  OPENFGA_API_URL: 'http://127.0.0.1',
  OPENFGA_STORE_ID: 'unknown',
  SMTP_URL: 'smtp://127.0.0.1',
  SECRETS_KEY: 'x'.repeat(32),
};

await start(process.env, process.argv.includes('--watch')).catch(fail);

async function start(given: Env, isWatching: boolean): Promise<void> {
  const env = await settleAddress(given);
  const stops: (() => Promise<void>)[] = [];
  stopOnSignal(stops);

  const dataDir = env['DATA_DIR'] ?? '.data';
  const stack = await bringUp({ env, dataDir, purpose: 'local', progress });
  stops.push(stack.stop);
  const complete = await fillIn(env, dataDir, stack);
  const config = loadConfig(complete, readText);
  keepSettings(join(dataDir, SETTINGS_FILE), complete);
  progress('Applying migrations and publishing the authorization model …');
  await migrate(config);
  if (isWatching) {
    watchService(complete, stack);
  } else {
    const service = await serve(config).catch(explainTakenPort);
    stops.unshift(() => service.close());
  }
  console.log(describeStart(config, stack));
}

/** Checks every setting and the port before anything starts. */
async function settleAddress(given: Env): Promise<Env> {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const config = loadConfig({ ...STAND_INS, ...set }, readText);
  const dataDir = resolve(config.DATA_DIR);
  refuseSecondStart(dataDir);
  const port = config.PORT === 0 ? (await findFreePorts(1))[0] : config.PORT;
  if (port === undefined || !(await isPortFree(port, config.HOST))) {
    throw takenPort(port);
  }
  return { ...set, PORT: String(port), DATA_DIR: dataDir };
}

/** Someone may take the port while the servers come up. */
function explainTakenPort(error: Error & { code?: string; port?: number }): never {
  if (error.code === 'EADDRINUSE') throw takenPort(error.port);
  throw error;
}

function takenPort(port: number | undefined): Unavailable {
  return new Unavailable(`Port ${port} is taken: stop what listens there, or set PORT.`);
}

/** The environment the service itself would need, completed from the stack and the folder. */
async function fillIn(env: Env, dataDir: string, stack: Stack): Promise<Env> {
  const token = stack.openfgaApiToken;
  const storeFile = join(dataDir, 'openfga-store-id');
  const storeId =
    env['OPENFGA_STORE_ID'] ?? (await keepStore(stack.openfgaApiUrl, token, storeFile));
  return {
    ...env,
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    OPENFGA_API_URL: stack.openfgaApiUrl,
    ...(token === undefined ? {} : { OPENFGA_API_TOKEN: token }),
    OPENFGA_STORE_ID: storeId,
    SECRETS_KEY: env['SECRETS_KEY'] ?? keepSecret(join(dataDir, 'secrets-key')),
    ...(stack.smtp === undefined
      ? { DEV_MAIL: 'off' }
      : { SMTP_URL: stack.smtp.url, ...showMail(env) }),
  };
}

/** For operator commands run beside the service (`toolgate drift`); it holds secrets. */
function keepSettings(file: string, env: Env): void {
  const names = Object.keys(Settings.shape).filter((name) => env[name] !== undefined);
  const settings = Object.fromEntries(names.map((name) => [name, env[name]]));
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
}

/** Everyone's mail is readable at /dev/mail, so an address beyond loopback must ask for it. */
function showMail(env: Env): Env {
  const isLoopback = ['127.0.0.1', 'localhost', '::1'].includes(env['HOST'] ?? '127.0.0.1');
  return { DEV_MAIL: env['DEV_MAIL'] ?? (isLoopback ? 'on' : 'off') };
}

/** The servers stay while the service starts anew at each change of a file. */
function watchService(env: Env, stack: Stack): void {
  const entry = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', entry], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  stack.adopt(child);
}

/** Ends in order; a second signal changes nothing, as Ctrl-C arrives here twice. */
function stopOnSignal(stops: (() => Promise<void>)[]): void {
  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    console.log('Stopping …');
    for (const one of stops) await one().catch((error: Error) => console.error(error.message));
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void stop());
  }
  process.on('disconnect', () => void stop());
}

function describeStart(config: Config, stack: Stack): string {
  const lines = [`toolgate is ready: ${config.PUBLIC_URL}`, `  Data and logs  ${config.DATA_DIR}`];
  if (stack.smtp !== undefined) lines.push(`  Mail           ${stack.smtp.folder}`);
  if (config.DEV_MAIL === 'on') lines.push(`  Read the mail  ${config.PUBLIC_URL}/dev/mail`);
  lines.push(`  Reference      ${config.PUBLIC_URL}/docs/api`);
  const at = config.PUBLIC_URL === 'http://localhost:7070' ? '' : ` --url ${config.PUBLIC_URL}`;
  lines.push(`  Next           npx toolgate quickstart${at}   (signs up and makes a key)`);
  return lines.join('\n');
}

function progress(line: string): void {
  console.log(line);
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

function fail(error: unknown): void {
  console.error(`toolgate: ${lastWords(error)}`);
  process.exit(1);
}

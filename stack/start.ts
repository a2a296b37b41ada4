// npm start: starts the servers, migrates, publishes the model, serves, and prints the URLs.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS_FILE } from '../src/cli/operator-config.ts';
import { serve } from '../src/main.ts';
import { migrate } from '../src/migrate.ts';
import { loadConfig, Settings } from '../src/platform/config/config.ts';
import type { Config } from '../src/platform/config/config.ts';
import { createSecrets } from '../src/platform/secrets.ts';
import { firstRunToken } from '../src/seed/demo/demo.ts';
import { formatFatalError } from '../src/platform/errors/operator-error.ts';
import { ensureDashboard } from './dashboard.ts';
import { requestText } from './loopback-request.ts';
import { readOrCreateStore } from './openfga.ts';
import { findFreePorts, isPortFree, waitUntilReady } from './ports.ts';
import { readOrCreateSecret } from './secret-file.ts';
import { startStack, refuseSecondStart } from './stack.ts';
import type { Stack } from './stack.ts';
import { Unavailable } from './unavailable.ts';

type Env = Record<string, string | undefined>;

// Placeholders for values that the servers provide, so that config errors surface first.
const PLACEHOLDERS = {
  DATABASE_URL: 'postgres://127.0.0.1/toolgate',
  REDIS_URL: 'redis://127.0.0.1',
  OPENFGA_API_URL: 'http://127.0.0.1',
  OPENFGA_STORE_ID: 'unknown',
  SMTP_URL: 'smtp://127.0.0.1',
  SECRETS_KEY: 'x'.repeat(32),
};

await start(process.env, process.argv.includes('--watch')).catch(fail);

async function start(given: Env, isWatching: boolean): Promise<void> {
  const env = await chooseAddress(given);
  const stops: (() => Promise<void>)[] = [];
  stopOnSignal(stops);

  const dataDir = env['DATA_DIR'] ?? '.data';
  // While the servers start, which takes minutes at first.
  const building = ensureDashboard(progress);
  building.catch(() => {});
  const stack = await startStack({ env, dataDir, purpose: 'local', progress });
  stops.push(stack.stop);
  await building;
  const complete = await fillIn(env, dataDir, stack);
  const config = loadConfig(complete, readText);
  saveSettings(join(dataDir, SETTINGS_FILE), complete);
  progress('Applying migrations and publishing the authorization model …');
  await migrate(config);
  if (isWatching) {
    watchService(complete, stack);
    if (
      !(await waitUntilReady(
        () => isServing(config),
        () => false,
      ))
    )
      progress('The service does not respond yet; it restarts when a file changes.');
  } else {
    const service = await serve(config).catch(explainPortInUse);
    stops.unshift(() => service.close());
  }
  console.log(describeStart(config, stack, await firstRunOf(config)));
}

/** Checks all settings and the port before anything starts. */
async function chooseAddress(given: Env): Promise<Env> {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const config = loadConfig({ ...PLACEHOLDERS, ...set }, readText);
  const dataDir = resolve(config.DATA_DIR);
  refuseSecondStart(dataDir);
  const port = config.PORT === 0 ? (await findFreePorts(1))[0] : config.PORT;
  if (port === undefined || !(await isPortFree(port, config.HOST))) {
    throw portInUse(port);
  }
  return { ...set, PORT: String(port), DATA_DIR: dataDir };
}

/** Explains a port that was taken while the servers were starting. */
function explainPortInUse(error: Error & { code?: string; port?: number }): never {
  if (error.code === 'EADDRINUSE') throw portInUse(error.port);
  throw error;
}

function portInUse(port: number | undefined): Unavailable {
  return new Unavailable(
    `Port ${port} is already in use: stop the program that uses it, or set PORT.`,
  );
}

/** Completes the service's environment with values of the stack and the data folder. */
async function fillIn(env: Env, dataDir: string, stack: Stack): Promise<Env> {
  const token = stack.openfgaApiToken;
  const storeFile = join(dataDir, 'openfga-store-id');
  const storeId =
    env['OPENFGA_STORE_ID'] ?? (await readOrCreateStore(stack.openfgaApiUrl, token, storeFile));
  return {
    ...env,
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    OPENFGA_API_URL: stack.openfgaApiUrl,
    ...(token === undefined ? {} : { OPENFGA_API_TOKEN: token }),
    OPENFGA_STORE_ID: storeId,
    SECRETS_KEY: env['SECRETS_KEY'] ?? readOrCreateSecret(join(dataDir, 'secrets-key')),
    ...(stack.smtp === undefined
      ? { DEV_MAIL: 'off' }
      : { SMTP_URL: stack.smtp.url, ...showMail(env) }),
  };
}

/** Saves the settings for operator commands (`toolgate drift`); the file contains secrets. */
function saveSettings(file: string, env: Env): void {
  const names = Object.keys(Settings.shape).filter((name) => env[name] !== undefined);
  const settings = Object.fromEntries(names.map((name) => [name, env[name]]));
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
}

/** Enables /dev/mail, which shows everyone's mail, by default only on loopback. */
function showMail(env: Env): Env {
  const isLoopback = ['127.0.0.1', 'localhost', '::1'].includes(env['HOST'] ?? '127.0.0.1');
  return { DEV_MAIL: env['DEV_MAIL'] ?? (isLoopback ? 'on' : 'off') };
}

/** Restarts the service on file changes while the servers keep running. */
function watchService(env: Env, stack: Stack): void {
  const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', entry], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  stack.adopt(child);
}

/** Returns true once a service in another process responds; throws before that. */
async function isServing(config: Config): Promise<boolean> {
  await requestText(`${addressOf(config)}/health`);
  return true;
}

/** Returns the address at which this machine reaches the service. */
function addressOf({ PORT, HOST }: Config): string {
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

/** Stops everything in order on a signal; later signals are ignored, since Ctrl-C arrives twice. */
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

/** Returns the link to the first run, while no account exists; null later, and if that is unknown. */
async function firstRunOf(config: Config): Promise<string | null> {
  const text = await requestText(`${addressOf(config)}/dev/demo`).catch(() => '{}');
  const { fresh } = JSON.parse(text) as { fresh?: boolean };
  if (fresh !== true) return null;
  return `${config.DASHBOARD_URL}/first-run#token=${firstRunToken(createSecrets(config.SECRETS_KEY))}`;
}

function describeStart(config: Config, stack: Stack, firstRun: string | null): string {
  const lines = [`toolgate is ready: ${config.PUBLIC_URL}`, `  Data and logs  ${config.DATA_DIR}`];
  if (stack.smtp !== undefined) lines.push(`  Mail files     ${stack.smtp.folder}`);
  if (config.DEV_MAIL === 'on') lines.push(`  Read the mail  ${config.PUBLIC_URL}/dev/mail`);
  lines.push(`  API reference  ${config.PUBLIC_URL}/docs/api`);
  const at = config.PUBLIC_URL === 'http://localhost:7070' ? '' : ` --url ${config.PUBLIC_URL}`;
  lines.push(`  Command line   npx toolgate quickstart${at}   (signs up and creates a key)`);
  if (firstRun !== null) lines.push(`  First run      ${firstRun}`);
  return lines.join('\n');
}

function progress(line: string): void {
  console.log(line);
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

function fail(error: unknown): void {
  console.error(`toolgate: ${formatFatalError(error)}`);
  process.exit(1);
}

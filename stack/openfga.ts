import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Guard } from './guard.ts';
import { requestJson, requestText } from './loopback-request.ts';
import { findOpenfga } from './openfga-program.ts';
import { startOnFreePorts, waitUntilReady } from './ports.ts';
import { readOrCreateSecret, writeSecret } from './secret-file.ts';
import { Unavailable } from './unavailable.ts';

export type OpenfgaOptions = {
  guard: Guard;
  dataDir: string;
  env: Record<string, string | undefined>;
  purpose: 'local' | 'test';
  /** OpenFGA's own database. */
  databaseUrl: Promise<string>;
  progress: (line: string) => void;
};

export type Openfga = { apiUrl: string; token: string; metricsUrl: string };

/** Starts OpenFGA on loopback with a preshared key. */
export async function startOpenfga(options: OpenfgaOptions): Promise<Openfga> {
  const [program, databaseUrl] = await Promise.all([findOpenfga(options), options.databaseUrl]);
  const token = readOrCreateSecret(join(options.dataDir, 'openfga-token'));
  const logFile = join(options.dataDir, 'logs', 'openfga.log');
  const settings = openfgaSettings(databaseUrl, token, options.purpose);
  const env = { ...options.env, ...settings };
  await options.guard.runTool(program, ['migrate'], { env });

  return startOnFreePorts('OpenFGA', 3, logFile, async ([http = 0, grpc = 0, metrics = 0]) => {
    const server = options.guard.startServer({
      command: program,
      args: [
        ...['run', '--http-addr', `127.0.0.1:${http}`, '--grpc-addr', `127.0.0.1:${grpc}`],
        ...['--metrics-addr', `127.0.0.1:${metrics}`, '--log-format', 'json'],
        ...['--log-level', 'warn', '--playground-enabled=false', '--profiler-enabled=false'],
      ],
      logFile,
      signal: 'SIGTERM',
      env,
    });
    const apiUrl = `http://127.0.0.1:${http}`;
    if (await waitUntilReady(() => isOpenfgaServing(apiUrl), server.hasEnded)) {
      return { apiUrl, token, metricsUrl: `http://127.0.0.1:${metrics}/metrics` };
    }
    await server.stop();
    return null;
  });
}

/**
 * Returns whether OpenFGA is serving, which only the body says, since a server with an unmigrated
 * database also responds.
 */
export async function isOpenfgaServing(apiUrl: string): Promise<boolean> {
  return (await requestText(`${apiUrl}/healthz`)).includes('"SERVING"');
}

/**
 * A test run has a thousand models of some megabytes, of which few are in use; with all of them,
 * and garbage that is collected late, the server would take 15 GB.
 */
const TEST_MEMORY = {
  ...{ GOGC: 'off', GOMEMLIMIT: '4GiB' },
  OPENFGA_DATASTORE_MAX_CACHE_SIZE: '200',
  OPENFGA_DATASTORE_MAX_TYPESYSTEM_CACHE_SIZE: '200',
};

/** Returns OpenFGA's environment variables; as arguments, secrets would show in process lists. */
export function openfgaSettings(databaseUrl: string, token: string, purpose: 'local' | 'test') {
  const isTest = purpose === 'test';
  return {
    OPENFGA_DATASTORE_ENGINE: 'postgres',
    ...(isTest ? TEST_MEMORY : {}),
    OPENFGA_DATASTORE_URI: withoutTls(databaseUrl),
    OPENFGA_DATASTORE_MAX_OPEN_CONNS: isTest ? '20' : '60',
    OPENFGA_DATASTORE_MIN_OPEN_CONNS: isTest ? '2' : '10',
    OPENFGA_DATASTORE_METRICS_ENABLED: 'true',
    OPENFGA_AUTHN_METHOD: 'preshared',
    OPENFGA_AUTHN_PRESHARED_KEYS: token,
    // Each of these caches could allow a revoked permission until its entry expires.
    OPENFGA_CHECK_QUERY_CACHE_ENABLED: 'false',
    OPENFGA_CHECK_ITERATOR_CACHE_ENABLED: 'false',
    OPENFGA_LIST_OBJECTS_ITERATOR_CACHE_ENABLED: 'false',
    OPENFGA_CACHE_CONTROLLER_ENABLED: 'false',
    OPENFGA_SHARED_ITERATOR_ENABLED: 'false',
    // Longer than the client's 500 ms; in tests many files share few cores.
    OPENFGA_REQUEST_TIMEOUT: isTest ? '5s' : '1s',
    OPENFGA_HTTP_UPSTREAM_TIMEOUT: isTest ? '5s' : '1s',
    OPENFGA_MAX_TUPLES_PER_WRITE: '100',
    OPENFGA_MAX_CHECKS_PER_BATCH_CHECK: '50',
    OPENFGA_SHUTDOWN_TIMEOUT: '2s',
  };
}

/**
 * Returns the store of a data folder: the id in its file, or a new store if there is none or the
 * server no longer has it (404). Throws on other responses, because a new store
 * would not have the tuples.
 */
export async function readOrCreateStore(apiUrl: string, token: string | undefined, file: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const stored = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (stored !== '') {
    const found = await send(`${apiUrl}/stores/${stored}`, { headers });
    if (found.status === 200) return stored;
    if (found.status !== 404) throw refusal(apiUrl, `responded with HTTP ${found.status}`);
  }
  const body = { name: `toolgate-${randomUUID().slice(0, 8)}` };
  const created = await send(`${apiUrl}/stores`, { method: 'POST', headers, body });
  if (created.status !== 201 || typeof created.body['id'] !== 'string') {
    throw refusal(apiUrl, `did not create a store: HTTP ${created.status}`);
  }
  writeSecret(file, created.body['id']);
  return created.body['id'];
}

/**
 * Sends a request; throws `Unavailable` if there is no response: a server given by URL may be down.
 */
async function send(url: string, input: Parameters<typeof requestJson>[1]) {
  return requestJson(url, input).catch((error: Error) => {
    throw refusal(new URL(url).origin, `is unreachable: ${error.message}`);
  });
}

function refusal(apiUrl: string, problem: string): Unavailable {
  return new Unavailable(`OpenFGA at ${apiUrl} ${problem}`);
}

/** Disables TLS for local servers, unless the given URL sets `sslmode`. */
function withoutTls(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const isLocal = url.hostname === '127.0.0.1' || url.hostname === 'localhost';
  if (isLocal && !url.searchParams.has('sslmode')) url.searchParams.set('sslmode', 'disable');
  return url.href;
}

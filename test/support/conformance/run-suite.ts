import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { runSigningIn } from '../clients/signing-in.ts';

export interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  errorMessage?: string;
}

const require = createRequire(import.meta.url);
const home = dirname(require.resolve('@modelcontextprotocol/conformance/package.json'));
const program = join(home, 'dist/index.js');
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs the official suite and returns its checks by scenario. */
export const runSuite = (url: string, options: readonly string[]) =>
  resultsOf((directory) => run(['server', '--url', url, '-o', directory, ...options]));

/**
 * Runs the official suite of authorization servers, as a registered client whose redirect URI is
 * `http://127.0.0.1:{port}/callback`. `visit` opens the authorization URL like a browser.
 */
export const runAuthorizationSuite = (
  { issuer, client_id, port }: { issuer: string; client_id: string; port: number },
  visit: (authorizationUrl: URL) => Promise<void>,
  options: readonly string[] = [],
) =>
  resultsOf(async (directory) => {
    const client = ['--url', issuer, '--client-id', client_id, '--port', String(port)];
    const argv = [program, 'authorization', ...client, '-o', directory, ...options];
    return (await runSigningIn(argv, visit)).output;
  });

async function resultsOf(
  runInto: (directory: string) => Promise<string>,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'toolgate-conformance-'));
  try {
    const output = await runInto(directory);
    const results = await readResults(directory);
    if (results.size === 0) throw new Error(`the suite ran nothing:\n${output.slice(-4_000)}`);
    return results;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the scenarios that the suite requires of a server for that protocol revision. */
export async function requiredScenarios(revision: string): Promise<string[]> {
  const file = join(home, 'requirements', `${revision}.yaml`);
  const { server } = parse(await readFile(file, 'utf8')) as { server: string[] };
  return server;
}

/** The exit code is ignored: it only says that a check failed, and the results give the details. */
const run = (options: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...options],
      { maxBuffer: OUTPUT_BYTES },
      (_error, stdout, errors) => resolve(stdout + errors),
    );
  });

async function readResults(directory: string): Promise<Map<string, Check[]>> {
  const results = new Map<string, Check[]>();
  for (const name of await readdir(directory)) {
    const file = join(directory, name, 'checks.json');
    const checks: Check[] = JSON.parse(await readFile(file, 'utf8'));
    const scenario = name
      .replace(/^(?:authorization-)?server-/, '')
      .replace(/-\d{4}-\d{2}-\d{2}T.*$/, '');
    results.set(scenario, checks);
  }
  return results;
}

const UNMET: ReadonlySet<Check['status']> = new Set(['FAILURE', 'WARNING', 'SKIPPED']);
/** Checks that contradict the specification: a not-found error carries no `data`. */
const FORBIDDEN: ReadonlySet<string> = new Set(['sep-2164-data-uri']);

/** Returns the scenarios with failed checks, recommended ones included, and their messages. */
export const failuresOf = (results: ReadonlyMap<string, readonly Check[]>) =>
  new Map(
    [...results].flatMap(([scenario, checks]) => {
      const failed = checks.filter(({ id, status }) => UNMET.has(status) && !FORBIDDEN.has(id));
      const messages = failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`);
      return failed.length === 0 ? [] : [[scenario, messages] as const];
    }),
  );

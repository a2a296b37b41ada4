import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { DeploymentError } from './authz/engine/deployment.ts';
import { ConfigError, loadConfig } from './platform/config/config.ts';
import type { Config } from './platform/config/config.ts';
import { formatFatalError } from './platform/errors/operator-error.ts';
import { createService } from './service.ts';
import type { Service } from './service.ts';

// Running calls get 20 seconds; the rest is for flushing buffers.
const SHUTDOWN_MS = 25_000;
const REFORK_MS = 1_000;
// From sysexits.h: a restart would fail in the same way.
const EX_CONFIG = 78;

/** Starts the service; call its `close` to drain it. */
export async function serve(config: Config): Promise<Service> {
  const service = await createService(config);
  await service.listen();
  // Garbage from startup is a fifth of an idle gateway's memory (docs/performance.md).
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return service;
}

/** Production entry: runs one process, or WORKERS processes that share the port. */
async function main(): Promise<void> {
  const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'));
  if (config.WORKERS > 1 && cluster.isPrimary) return superviseWorkers(config.WORKERS);
  const service = await serve(config);
  onTermination(async () => {
    await service.close();
    process.exit(0);
  });
}

function superviseWorkers(count: number): void {
  let stopping = false;
  const refork = () => void (stopping || cluster.fork());
  for (let worker = 0; worker < count; worker += 1) cluster.fork();
  cluster.on('exit', (_worker, code) => {
    // A configuration error would recur at every restart.
    if (!stopping && code === EX_CONFIG) process.exit(code);
    // A worker exits at once if a server is unreachable; the delay prevents a restart loop.
    if (!stopping) setTimeout(refork, REFORK_MS);
    else if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0);
  });
  onTermination(async () => {
    stopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  });
}

function onTermination(stop: () => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
      void stop();
    });
}

if (import.meta.main)
  try {
    await main();
  } catch (error) {
    const isConfigError = error instanceof ConfigError || error instanceof DeploymentError;
    process.stderr.write(`${formatFatalError(error)}\n`);
    process.exit(isConfigError ? EX_CONFIG : 1);
  }

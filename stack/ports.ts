import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { pause } from './process-identity.ts';
import { Unavailable } from './unavailable.ts';

const ATTEMPTS = 8;

/** Returns distinct ports that are currently free on loopback. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return ports;
}

export async function isPortFree(port: number, host: string): Promise<boolean> {
  try {
    const server = await listen(port, host);
    await close(server);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

/**
 * Retries with other free ports while `start` returns null, since another process may take a port
 * between finding and binding it.
 */
export async function startOnFreePorts<T>(
  name: string,
  count: number,
  logFile: string,
  start: (ports: number[]) => Promise<T | null>,
): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const started = await start(await findFreePorts(count));
    if (started !== null) return started;
    await pause(50 * attempt);
  }
  throw new Unavailable(`${name} did not start; see its log: ${logFile}`);
}

/**
 * Polls until `isReady` returns true; returns false if the server ended or `deadlineMs` has passed.
 */
export async function waitUntilReady(
  isReady: () => Promise<boolean>,
  hasEnded: () => boolean,
  deadlineMs = 30_000,
): Promise<boolean> {
  const deadline = Date.now() + deadlineMs;
  while (!hasEnded() && Date.now() < deadline) {
    if (await isReady().catch(() => false)) return true;
    await pause(25);
  }
  return false;
}

function close(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
  });
}

function listen(port: number, host = '127.0.0.1') {
  return new Promise<Server>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

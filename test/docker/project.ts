import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { freePort } from '../support/servers/free-port.ts';
import { removeProject } from './engine.ts';

const FILE = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));

type Env = Record<string, string>;

/** A deployment of docker-compose.yml. */
export type Project = Awaited<ReturnType<typeof createProject>>;

/** Creates a deployment with a name and a port, and removes the remains of earlier runs. */
export async function createProject(name: string) {
  const port = String(await freePort());
  const url = `http://localhost:${port}`;
  // A developer's .env must not affect the tests.
  const prefix = ['compose', '-p', name, '-f', FILE, '--env-file', '/dev/null'];
  removeProject(name);

  const composeWith = (env: Env, ...args: string[]): Promise<string> => {
    const options = { env: { ...process.env, PORT: port, ...env }, maxBuffer: 64 * 1024 * 1024 };
    return new Promise((resolve, reject) => {
      execFile('docker', [...prefix, ...args], options, (error, stdout) => {
        if (error === null) resolve(stdout);
        else reject(error);
      });
    });
  };
  const compose = (...args: string[]) => composeWith({}, ...args);
  const status = () =>
    fetch(`${url}/health`).then(
      (response) => response.status,
      () => 0,
    );
  /** Waits until the gateway can serve. */
  const untilHealthy = () =>
    vi.waitFor(async () => expect(await status()).toBe(200), { timeout: 60_000, interval: 200 });

  return {
    name,
    url,
    compose,
    untilHealthy,
    /** Returns the id of a service's container, even if it is stopped. */
    container: async (service: string) => (await compose('ps', '-qa', service)).trim(),
    /** Starts everything with these settings, and waits until the gateway can serve. */
    async up(env: Env = {}): Promise<void> {
      await composeWith(env, 'up', '--detach');
      await untilHealthy();
    },
    remove: () => removeProject(name),
  };
}

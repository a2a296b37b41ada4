// @ts-check
// Plain JavaScript without dependencies, because the launcher uses it before anything is installed.
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** @typedef {Record<string, string | undefined>} Env */

export const IMAGES = {
  postgres: 'postgres:18',
  redis: 'redis:7',
  openfga: 'openfga/openfga:v1.22.1',
};

/**
 * Returns whether a Docker engine, not only its client, is available.
 * @param {Env} env
 */
export async function isDockerAvailable(env) {
  for (const address of engineAddresses(env)) {
    if (await respondsToPing(address)) return true;
  }
  return false;
}

/**
 * @param {Env} env
 * @returns {import('node:http').RequestOptions[]}
 */
function engineAddresses(env) {
  const host = env['DOCKER_HOST'];
  if (host) {
    if (!URL.canParse(host)) return [];
    const url = new URL(host);
    if (url.protocol === 'unix:') return [{ socketPath: url.pathname }];
    return [{ host: url.hostname, port: url.port || 2375 }];
  }
  return [
    '/var/run/docker.sock',
    join(env['XDG_RUNTIME_DIR'] || '/nowhere', 'docker.sock'),
    join(homedir(), '.docker', 'run', 'docker.sock'),
  ]
    .filter((socketPath) => existsSync(socketPath))
    .map((socketPath) => ({ socketPath }));
}

/**
 * @param {import('node:http').RequestOptions} address
 * @returns {Promise<boolean>}
 */
function respondsToPing(address) {
  return new Promise((resolve) => {
    const options = { ...address, path: '/_ping', timeout: 2000, agent: false };
    const attempt = request(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    attempt.on('timeout', () => void attempt.destroy());
    attempt.on('error', () => resolve(false));
    attempt.end();
  });
}

import { execFileSync } from 'node:child_process';
import { beforeEach } from 'vitest';
import { IMAGES } from '../../stack/docker.mjs';

/** The engine's address; '' is the default one. */
export const DOCKER_HOST = process.env['DOCKER_HOST'] ?? '';

/** Why tests of Docker cannot run here, or ''. */
export const missing = findMissing();

/** Skips each test of a file, with the reason, where Docker cannot run it. */
export function requireEngine(): void {
  beforeEach(({ skip }) => skip(missing !== '', missing));
}

/** Runs a short command of the Docker client. */
export function docker(...args: string[]): string {
  return execFileSync('docker', args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 20_000,
  }).toString();
}

/** Returns the ids of running containers; with `--all` also of stopped ones. */
export function listContainers(filter: string, ...options: string[]): string[] {
  const printed = docker('ps', '--quiet', '--no-trunc', '--filter', filter, ...options);
  return printed.split('\n').filter(Boolean);
}

/** Removes a Compose project with its containers, volumes and networks. */
export function removeProject(project: string): void {
  docker('compose', '-p', project, 'down', '--volumes', '--timeout', '1');
}

function findMissing(): string {
  try {
    docker('version');
  } catch {
    return 'no Docker engine answers';
  }
  try {
    docker('compose', 'version');
    docker('image', 'inspect', ...Object.values(IMAGES));
    return '';
  } catch {
    return 'Docker lacks Compose or an image of docker-compose.yml';
  }
}

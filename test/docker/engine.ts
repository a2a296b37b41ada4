import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeEach, expect } from 'vitest';
import { IMAGES } from '../../stack/docker.mjs';

/** The engine's address; '' means the default. */
export const DOCKER_HOST = process.env['DOCKER_HOST'] ?? '';

/** The reason Docker tests cannot run here, or ''. */
export const skipReason = findMissing();

/** Skips each test of a file, and states the reason, if Docker cannot run it. */
export function requireEngine(): void {
  beforeEach(({ skip }) => skip(skipReason !== '', skipReason));
}

/** Runs a short Docker command; if it fails, the error contains its output. */
export function docker(...args: string[]): string {
  return execFileSync('docker', args, {
    stdio: ['ignore', 'pipe', 'pipe'],
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

/** The file with the engine's process id, set if a test may kill the engine (`.ci/engine`). */
export const ENGINE_PID_FILE = process.env['DOCKERD_PID_FILE'] ?? '';

/** Kills the engine and waits for its replacement. */
export async function crashEngine(): Promise<void> {
  const readPid = () => Number(readFileSync(ENGINE_PID_FILE, 'utf8'));
  const killed = readPid();
  process.kill(killed, 'SIGKILL');
  await expect.poll(readPid, { timeout: 60_000 }).not.toBe(killed);
  await expect.poll(isResponding, { timeout: 60_000 }).toBe(true);
}

function isResponding(): boolean {
  try {
    docker('version');
    return true;
  } catch {
    return false;
  }
}

function findMissing(): string {
  if (!isResponding()) return 'no Docker engine responds';
  try {
    docker('compose', 'version');
    docker('image', 'inspect', ...Object.values(IMAGES));
    return '';
  } catch {
    return 'Docker lacks Compose or an image of docker-compose.yml';
  }
}

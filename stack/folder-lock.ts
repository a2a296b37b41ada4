import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify, isAlive, pause } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

export type FolderLock = { release(): void };

/**
 * Acquires the lock `file` for this process; returns null while another live process holds it. A
 * lock whose owner is dead is taken over, so a killed start never blocks the next.
 */
export function takeLock(file: string): FolderLock | null {
  mkdirSync(dirname(file), { recursive: true });
  const text = JSON.stringify(identify(process.pid));
  const own = `${file}.${process.pid}`;
  for (;;) {
    if (linkText(own, text, file)) return { release: () => release(file, text) };
    const holder = readText(file);
    if (holder !== null && isHeld(holder)) return null;
    if (holder !== null) removeStale(file, holder, own);
  }
}

/** Waits until `file` is free; calls `onWait` once if it has to wait. */
export async function waitForLock(file: string, onWait: () => void): Promise<FolderLock> {
  let isReported = false;
  for (;;) {
    const lock = takeLock(file);
    if (lock !== null) return lock;
    if (!isReported) onWait();
    isReported = true;
    await pause(200);
  }
}

/** Returns the pid of the live process that holds a lock, else null. */
export function readHolder(file: string): number | null {
  const holder = parseHolder(readText(file) ?? '');
  return holder !== null && isAlive(holder) ? holder.pid : null;
}

/**
 * Creates the lock as a hard link, which appears with its content: no reader sees a partial lock.
 */
function linkText(own: string, text: string, file: string): boolean {
  writeFileSync(own, text, { mode: 0o600 });
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes a dead owner's lock, but not one that a third process acquired in between. */
function removeStale(file: string, holder: string, aside: string): void {
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== holder) linkSync(aside, file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  }
  rmSync(aside, { force: true });
}

function release(file: string, text: string): void {
  if (readText(file) === text) rmSync(file, { force: true });
}

function isHeld(text: string): boolean {
  const holder = parseHolder(text);
  return holder !== null && isAlive(holder);
}

function parseHolder(text: string): ProcessIdentity | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Reads a secret from a file that only its owner can read; generates it on first use. */
export function readOrCreateSecret(file: string): string {
  if (!existsSync(file)) writeSecret(file, randomBytes(32).toString('base64url'));
  return readFileSync(file, 'utf8').trim();
}

/** Writes under a temporary name first, so that a killed start leaves no partial secret. */
export function writeSecret(file: string, secret: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, secret, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Source of the servers for which no URL is given. */
export type Source = 'docker' | 'local';

/** Returns the source that holds a data folder's rows and tuples; null for an unused folder. */
export function readSource(dataDir: string): Source | null {
  const file = sourceFile(dataDir);
  const stored = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return stored === 'docker' || stored === 'local' ? stored : null;
}

/**
 * Records the source of a data folder; it never changes, since no other source has the data.
 */
export function writeSource(dataDir: string, source: Source): void {
  writeFileSync(sourceFile(dataDir), source);
}

function sourceFile(dataDir: string): string {
  return join(dataDir, 'servers-from');
}

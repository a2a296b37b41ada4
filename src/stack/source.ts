import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where servers come from that no URL was given for. */
export type Source = 'docker' | 'local';

/** Which source a data folder's rows and tuples are in; null for a folder not yet used. */
export function readSource(dataDir: string): Source | null {
  const file = sourceFile(dataDir);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return kept === 'docker' || kept === 'local' ? kept : null;
}

/** From its first start on a folder stays with its source, whose data no other source has. */
export function keepSource(dataDir: string, source: Source): void {
  writeFileSync(sourceFile(dataDir), source);
}

function sourceFile(dataDir: string): string {
  return join(dataDir, 'servers-from');
}

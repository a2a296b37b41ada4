import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from './unavailable.ts';

/**
 * Returns the folders `<parent>/<version>/bin`, newest first: Debian keeps PostgreSQL's programs in
 * `/usr/lib/postgresql/<version>/bin`, outside PATH.
 */
export function versionedFolders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  const versions = readdirSync(parent).toSorted((left, right) => Number(right) - Number(left));
  return versions.map((version) => join(parent, version, 'bin'));
}

/** Returns the error for a missing server, with the three ways to provide it. */
export function missing(server: string, variable: string, remedy: string, cause = ''): Unavailable {
  const because = cause === '' ? '' : ` (${cause})`;
  return new Unavailable(
    `${server} not found${because}: set ${variable} to a running server, ` +
      `start Docker, or ${remedy}.`,
  );
}

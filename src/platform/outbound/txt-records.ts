import { NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { unavailable } from '../errors/refusal.ts';

const TIMEOUT_MS = 1_000;
const TRIES = 2;

/** Reads the TXT records of a name; the parts of one record are joined. */
export type ReadTxtRecords = (name: string) => Promise<readonly string[]>;

/**
 * Creates a reader that asks the given name servers, or the system's if there are none. It throws
 * 503 if they do not respond.
 */
export function createTxtRecords(servers: readonly string[]): ReadTxtRecords {
  return async function readTxtRecords(name) {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code === NOTFOUND || code === NODATA) return [];
      throw unavailable(`reading TXT records failed: ${String(code)}`, error);
    }
  };
}

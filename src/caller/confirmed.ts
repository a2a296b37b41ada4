import { isDeepStrictEqual } from 'node:util';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Identified } from './read-identified.ts';
import { isRecent } from './recent.ts';

export interface Again<Decided extends Identified<unknown>> {
  /** Identifies the sender again, with one query. */
  identify(): Promise<Identified<Decided['caller']>>;
  /** Decides again. Throws if the sender is no longer allowed what it asked for. */
  decide(latest: Identified<Decided['caller']>): Promise<Decided>;
  /** Deadline of deciding again, in the time of `performance.now()`. */
  until: number;
}

/**
 * Confirms a decision before work starts on it. If its credential was read recently, nothing is
 * read. Otherwise the credential is read once more: if neither it nor the states of its scopes have
 * changed, the decision stands, however long it took; only a change is decided again. A revocation
 * that was answered before this read is always seen. Returns the same object if the decision stands.
 */
export async function confirmed<Decided extends Identified<unknown>>(
  decided: Decided,
  { identify, decide, until }: Again<Decided>,
): Promise<Decided> {
  let current = decided;
  while (!isRecent(current.read_at)) {
    const latest = await identify();
    if (isDeepStrictEqual(latest.caller, current.caller)) {
      current.read_at = latest.read_at;
      return current;
    }
    if (performance.now() > until) throw unavailable('authorization data kept changing');
    current = await decide(latest);
  }
  return current;
}

import { patternsOf } from '../policies/patterns.ts';
import type { Patterns } from '../policies/patterns.ts';
import { createFairQueue } from '../platform/concurrency/fair-queue.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { View } from './decide.ts';
import type { ResourceItem } from './item.ts';

const TIMEOUT_MS = 30_000;
// Waiting requests, in total and per quota owner; nothing else limits their number.
const MAX_WAITING = 200;
const MAX_WAITING_PER_OWNER = 20;

/** Returns the signal that ends a computation. Only long ones need it: its timer costs as much as a call. */
type Ending = () => AbortSignal;

const endingAfter = (timeoutMs: number): Ending => {
  let signal: AbortSignal | undefined;
  return () => (signal ??= AbortSignal.timeout(timeoutMs));
};

/**
 * Runs long computations in pieces on the event loop: the first piece of each immediately, then one
 * piece per iteration of the loop, with quota owners taking turns. Throws `unavailable` if too many
 * computations wait, or when the signal ends, by default after 30 seconds.
 */
export function createPieceRunner() {
  const busy = () => unavailable('too many long policies are being evaluated');
  const queue = createFairQueue({
    ...{
      size: 1,
      maxWaiting: MAX_WAITING,
      maxWaitingPerKey: MAX_WAITING_PER_OWNER,
      createBusyError: busy,
    },
  });

  return async function inPieces(
    account_id: string,
    pieces: Iterator<void>,
    ending: Ending = endingAfter(TIMEOUT_MS),
  ): Promise<void> {
    if (pieces.next().done === true) return;
    const entry = { fairnessKey: account_id, signal: ending() };
    do {
      await queue.enter(entry).catch((error: unknown) => {
        // Results so far are cached, so a retry continues from there.
        throw entry.signal.aborted ? unavailable('a long policy was not evaluated in time') : error;
      });
      setImmediate(queue.leave, entry);
    } while (pieces.next().done !== true);
  };
}

/** Matches policies against resources in pieces, before decisions need the results. */
export function createPrecompute(resourcesOf: (view: View) => readonly ResourceItem[]) {
  const inPieces = createPieceRunner();
  const precompute = (
    fairnessKey: string,
    patterns: Patterns,
    items: readonly ResourceItem[],
    ending?: Ending,
  ) => inPieces(fairnessKey, patterns.precompute(items), ending);
  return {
    precompute,
    /** Prepares all policies of a view; throws `unavailable` if that takes too long. */
    async precomputed(fairnessKey: string, view: View, timeoutMs = TIMEOUT_MS): Promise<View> {
      const ending = endingAfter(timeoutMs);
      const teams = view.places.flatMap(({ exposure }) => exposure?.teams ?? []);
      for (const { resource } of [view.policies, ...teams.map(({ policies }) => policies)])
        if (resource.patterns !== undefined)
          await precompute(fairnessKey, patternsOf(resource.patterns), resourcesOf(view), ending);
      return view;
    },
  };
}

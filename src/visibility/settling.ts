import { patternsOf } from '../policies/patterns.ts';
import type { Patterns } from '../policies/patterns.ts';
import { createPlaces } from '../platform/concurrency/places.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { View } from './decide.ts';
import type { ResourceItem } from './item.ts';

const LONGEST_MS = 30_000;
// Of requests, whose number is bounded nowhere else.
const WAITING = 200;
const WAITING_OF_ONE = 20;

/**
 * Does long work on the one event loop a piece at a time. The first piece is done at once; of all
 * that is longer one piece is done between two looks at the sockets, of each account in turn.
 */
export function createInPieces() {
  const busy = () => unavailable('too many long policies are being decided');
  const places = createPlaces({
    ...{ size: 1, waiting: WAITING, waitingOfOne: WAITING_OF_ONE, busy },
  });

  return async function inPieces(account_id: string, pieces: Iterator<void>): Promise<void> {
    if (pieces.next().done === true) return;
    const turn = { fairKey: account_id, signal: AbortSignal.timeout(LONGEST_MS) };
    do {
      await places.enter(turn).catch((error: unknown) => {
        // What was decided is known: whoever asks again begins there.
        throw turn.signal.aborted ? unavailable('a long policy was not decided in time') : error;
      });
      setImmediate(places.leave);
    } while (pieces.next().done !== true);
  };
}

/** What policies say of resources, found out in pieces before it is asked. */
export function createSettling(resourcesOf: (view: View) => readonly ResourceItem[]) {
  const inPieces = createInPieces();
  const settle = (fairKey: string, patterns: Patterns, items: readonly ResourceItem[]) =>
    inPieces(fairKey, patterns.settle(items));
  return {
    settle,
    async settled(fairKey: string, view: View): Promise<View> {
      const teams = view.places.flatMap(({ exposure }) => exposure?.teams ?? []);
      for (const { resource } of [view.policies, ...teams])
        if (resource.patterns !== undefined)
          await settle(fairKey, patternsOf(resource.patterns), resourcesOf(view));
      return view;
    },
  };
}

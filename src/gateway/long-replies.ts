import type { Principal } from '../caller/principal.ts';
import type { Reply, Route } from '../caller/route.ts';
import type { TableFormat } from '../caller/table.ts';
import { createCounts } from '../platform/concurrency/counts.ts';
import { limited } from '../platform/errors/refusal.ts';
import { eventPieces } from './event-pieces.ts';

/** Whether a reply is sent in pieces: a file of a table, an export, or a stream of events. */
export const isLongReply = ({ long_reply }: Route, format: TableFormat | null): boolean =>
  format !== null || long_reply !== undefined;

/** A reply as it is sent. */
export type SentReply = Omit<Reply, 'events'> & {
  /** Call when the response was sent or its connection closed. */
  closed?(): void;
};

/** Media type of streams of events. */
export const EVENTS = 'text/event-stream';

const MAX_OF_OWNER = 8;
const RETRY_SECONDS = 10;
const CHECK_MS = 1_000;

/** Limits long replies, and checks while they are sent that their sender may still have them. */
export function createLongReplies({ shutdown }: { shutdown: AbortSignal }) {
  const open = createCounts();

  return {
    /** Counts one more of the sender's quota owner, until `leave` is called; throws `limited`. */
    enter(sender: Principal | null): { leave(): void } {
      const owner = sender?.quota_owner.id ?? '';
      if (open.of(owner) >= MAX_OF_OWNER) throw tooMany();
      return { leave: open.enter(owner) };
    },
    /** Returns the reply as pieces that are only yielded while `check` does not throw. */
    checked({ events, ...reply }: Reply, check: () => Promise<void>, leave: () => void): SentReply {
      const closing = new AbortController();
      const closed = () => {
        closing.abort();
        leave();
      };
      const checkAgain = atMostEach(CHECK_MS, check);
      if (events === undefined)
        return { ...reply, pieces: checkedPieces(reply.pieces ?? [], checkAgain), closed };
      const ended = AbortSignal.any([closing.signal, shutdown]);
      const pieces = eventPieces(events(ended), { check: checkAgain, ended });
      return { ...reply, pieces, content_type: `${EVENTS}; charset=utf-8`, closed };
    },
  };
}

/** Yields the pieces; throws if the check of one fails, so that a file does not look complete. */
async function* checkedPieces(
  pieces: AsyncIterable<string> | Iterable<string>,
  check: () => Promise<void>,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    await check();
    yield piece;
  }
}

/** Returns a check that does nothing if it has passed recently. */
function atMostEach(ms: number, check: () => Promise<void>): () => Promise<void> {
  let passed = performance.now();
  return async () => {
    if (performance.now() - passed <= ms) return;
    const began = performance.now();
    await check();
    passed = began;
  };
}

const tooMany = () =>
  limited(
    'rate_limited',
    `At most ${MAX_OF_OWNER} files and event streams can be sent at a time. Wait until one has ended.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );

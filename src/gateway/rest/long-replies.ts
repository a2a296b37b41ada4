import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Principal } from '../../caller/principal.ts';
import type { Reply, Route } from '../../caller/route.ts';
import type { TableFormat } from '../../caller/table.ts';
import { createCounts } from '../../platform/concurrency/counts.ts';
import { limited } from '../../platform/errors/refusal.ts';
import { eventPieces } from './event-pieces.ts';
import type { EventPiecesOptions } from './event-pieces.ts';
import type { SentReply } from './send-reply.ts';

/** Whether a reply is sent in pieces: a file of a table, an export, or a stream of events. */
export const isLongReply = ({ long_reply }: Route, format: TableFormat | null): boolean =>
  format !== null || long_reply !== undefined;

/** Media type of streams of events. */
export const EVENTS = 'text/event-stream';

const MAX_OF_OWNER = 8;
const RETRY_SECONDS = 10;
const CHECK_MS = 1_000;

/** Limits long replies, and checks while they are sent that their sender may still have them. */
export function createLongReplies({ shutdown }: { shutdown: AbortSignal }) {
  const open = createCounts();

  return {
    /**
     * Counts one more of the sender's quota owner until the response was sent or its connection
     * closed, which aborts the signal; throws `limited`.
     */
    enter(sender: Principal | null, response: ServerResponse): AbortSignal {
      const owner = sender?.quota_owner.id ?? '';
      if (open.of(owner) >= MAX_OF_OWNER) throw tooMany();
      const leave = open.enter(owner);
      const closing = new AbortController();
      finished(response, () => {
        closing.abort();
        leave();
      });
      return closing.signal;
    },
    /** Returns the reply as pieces that are only yielded while `check` does not throw. */
    checked(
      { events, ...reply }: Reply,
      { check, report }: Pick<EventPiecesOptions, 'check' | 'report'>,
      closing: AbortSignal,
    ): SentReply {
      const checkAgain = atMostEach(CHECK_MS, check);
      if (events === undefined)
        return { ...reply, pieces: checkedPieces(reply.pieces ?? [], checkAgain) };
      const ended = AbortSignal.any([closing, shutdown]);
      const pieces = eventPieces(events(ended), { check: checkAgain, report, ended });
      return { ...reply, pieces, content_type: `${EVENTS}; charset=utf-8` };
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

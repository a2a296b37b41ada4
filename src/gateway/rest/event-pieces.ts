import type { ServerEvent } from '../../caller/events.ts';
import { toErrorResponse } from '../http/errors.ts';

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ':\n\n';

export interface EventPiecesOptions {
  /** Called before each piece; if it throws, the stream ends with the error. */
  check(): Promise<void>;
  /** Called with the error that ends the stream. */
  report(error: unknown): void;
  /** Ends the stream: the client has gone, or the gateway stops. */
  ended: AbortSignal;
}

/**
 * Encodes events for a client's EventSource, with a comment when there was none for a while, so that
 * proxies keep the connection. An error is the data of the last event: unlike a file, a stream
 * without it would look as if it could be continued.
 */
export async function* eventPieces(
  events: AsyncIterable<ServerEvent>,
  { check, report, ended }: EventPiecesOptions,
): AsyncGenerator<string> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (let next = iterator.next(); ;) {
      const found = await firstOf(next, ended);
      if (found === 'ended') return;
      if (found !== 'silent' && found.done === true) return;
      await check();
      yield found === 'silent' ? HEARTBEAT : textOf(found.value);
      if (found !== 'silent') next = iterator.next();
    }
  } catch (error) {
    report(error);
    yield textOf({ event: 'end', data: toErrorResponse(error).body });
  } finally {
    // Not awaited: it would wait for the event that is being read.
    iterator.return?.().catch(() => {});
  }
}

/** Waits for the next event, for some time or until the stream ends. */
async function firstOf<Event>(
  next: Promise<Event>,
  ended: AbortSignal,
): Promise<Event | 'silent' | 'ended'> {
  if (ended.aborted) return 'ended';
  const { promise, resolve } = Promise.withResolvers<'silent' | 'ended'>();
  const end = () => resolve('ended');
  const timer = setTimeout(() => resolve('silent'), HEARTBEAT_MS);
  ended.addEventListener('abort', end);
  // It may fail after the stream has ended.
  next.catch(() => {});
  try {
    return await Promise.race([next, promise]);
  } finally {
    clearTimeout(timer);
    ended.removeEventListener('abort', end);
  }
}

/** Encodes an event; JSON has no line breaks. */
const textOf = ({ event, data }: ServerEvent): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

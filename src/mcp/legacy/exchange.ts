import type { ServerResponse } from 'node:http';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { KeyCaller } from '../../caller/caller.ts';
import { openEventStream } from '../event-stream.ts';
import type { EventStream } from '../event-stream.ts';
import { sendEmpty, sendText } from '../http.ts';
import type { ExchangeLog, ExchangeName } from './exchange-log.ts';
import type { Session, SessionFault } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { Signal, Signals } from './signals.ts';
import { STREAM_VOID_MS } from './sessions.ts';

/**
 * The answer to one POST: JSON if it is done soon and silent, else an event stream whose events
 * are kept before they are written, so that a lost connection loses nothing.
 */
export interface Exchange {
  /** Sends a message before the answer; false where no stream may be opened for it. */
  send(text: string): Promise<boolean>;
  /** The answers, one message each; an exchange of one message has one or, cancelled, none. */
  finish(texts: readonly string[]): Promise<void>;
  /** Answers a session that is none, whatever else was going on. */
  refuse(fault: SessionFault): void;
  /** Shutting down: the client comes back for the rest, wherever that is. */
  handOver(): void;
  /** The client may hold an event id. */
  readonly isStream: boolean;
}

export interface ExchangeTimings {
  /** A silent exchange that takes longer becomes a stream. */
  quickMs: number;
  /** The client is sent away to come back for the rest after this time; null: it never is. */
  turnMs: number | null;
}

export interface ExchangeDependencies {
  sessions: Sessions;
  exchangeLog: ExchangeLog;
  signals: Signals;
  log: Log;
  timings: ExchangeTimings;
}

interface ExchangeInput {
  caller: KeyCaller;
  session: Session;
  response: ServerResponse;
  isBatch: boolean;
  refuse(fault: SessionFault): void;
  /** What other instances say about the session while the stream is open or its calls run. */
  hear(signal: Signal): void;
  /** From here on nothing of it is missed. */
  listening(): Promise<void>;
}

const DRAIN_MS = 30_000;
const KEPT_BYTES = 2 * 1024 * 1024;
const COME_BACK_MS = 1_000;
const TOO_LARGE = '"error":{"code":-32603,"message":"Internal error"}}';

export function openExchange(
  { sessions, signals, exchangeLog, log, timings }: ExchangeDependencies,
  { caller, session, response, isBatch, refuse, hear, listening }: ExchangeInput,
): Exchange {
  const streamId = newId();
  let isAnswered = false;
  let opened: Promise<EventStream | null> | null = null;
  let name: ExchangeName | null = null;
  let stopListening = () => {};
  let place = 0;
  let bytes = 0;
  let order: Promise<unknown> = Promise.resolve();
  const timer = setTimeout(() => void open(), timings.quickMs);

  /** Null: the client gets plain JSON, has gone, or was already told that it has no session. */
  function open(): Promise<EventStream | null> {
    clearTimeout(timer);
    opened ??= join().catch((error: unknown) => {
      log.error({ err: error }, 'a stream of a session could not be opened');
      return null;
    });
    return opened;
  }

  async function join(): Promise<EventStream | null> {
    // Without an event id the client could not ask for what it missed.
    if (response.destroyed) return null;
    const joined = await sessions.join(caller, session.id, {
      id: streamId,
      version: session.version,
      isExchange: true,
    });
    if ('fault' in joined) {
      if (joined.fault !== 'full') answerFault(joined.fault);
      return null;
    }
    name = { sessionKey: session.key, number: joined.number };
    let live: EventStream | null = null;
    stopListening = await signals.listen(session.key, (signal) => {
      if (signal.type === 'end') live?.end();
      else hear(signal);
    });
    await listening().catch(quiet);
    if (isAnswered || response.destroyed) {
      await sessions.leave(session, streamId).catch(quiet);
      return null;
    }
    const stream = openEventStream(response, { maxWaitingBytes: null });
    live = stream;
    keepPlace(stream);
    // Older clients take an event without data for a broken message.
    if (session.version === '2025-11-25')
      stream.send({ id: eventId(name, 0), data: '', retryMs: COME_BACK_MS });
    if (timings.turnMs !== null && session.version === '2025-11-25') turn(stream, timings.turnMs);
    return stream;
  }

  function keepPlace(stream: EventStream): void {
    const keeping = setInterval(() => {
      sessions
        .keep(session, streamId, false)
        .then((state) => state === 'gone' && stream.end(), quiet);
    }, STREAM_VOID_MS / 3).unref();
    stream.onClose(() => {
      clearInterval(keeping);
      sessions.leave(session, streamId).catch(quiet);
    });
  }

  const quiet = (error: unknown) => log.debug({ err: error }, 'a stream of a session was not told');

  function turn(stream: EventStream, turnMs: number): void {
    const turning = setTimeout(() => stream.end(), turnMs).unref();
    stream.onClose(() => clearTimeout(turning));
  }

  function answerFault(fault: SessionFault): void {
    if (isAnswered) return;
    isAnswered = true;
    refuse(fault);
  }

  /** Kept first, then written; a stream that is gone changes nothing about the order. */
  async function append(stream: EventStream, exchange: ExchangeName, text: string): Promise<void> {
    place += 1;
    bytes += Buffer.byteLength(text);
    const kept = bytes <= KEPT_BYTES ? text : withoutResult(text);
    if (kept !== null) await keep(exchangeLog.append(exchange, place, kept));
    stream.send({ id: eventId(exchange, place), data: text });
    await stream.drained(DRAIN_MS);
  }

  const keep = (work: Promise<void>) =>
    work.catch((error: unknown) => log.warn({ err: error }, 'event of an exchange not kept'));

  function queue<T>(step: () => Promise<T>): Promise<T> {
    const done = order.then(step);
    order = done.catch((error: unknown) => log.error({ err: error }, 'exchange broke'));
    return done;
  }

  return {
    get isStream() {
      return name !== null;
    },
    send: (text) =>
      queue(async () => {
        const stream = isAnswered ? null : await open();
        if (stream === null || name === null) return false;
        await append(stream, name, text);
        return true;
      }),
    async finish(texts) {
      clearTimeout(timer);
      await queue(async () => {
        const stream = opened === null ? null : await opened;
        if (isAnswered) return;
        isAnswered = true;
        if (stream === null || name === null) return sendJson(response, texts, isBatch);
        for (const text of texts) await append(stream, name, text);
        await keep(exchangeLog.close(name, place));
        stream.end();
      }).finally(() => stopListening());
    },
    refuse(fault) {
      clearTimeout(timer);
      if (opened === null) return answerFault(fault);
      void queue(async () => {
        const stream = await opened;
        if (stream === null) return answerFault(fault);
        isAnswered = true;
        stream.end();
      }).finally(() => stopListening());
    },
    handOver() {
      // A client that holds no event id could not come back for the answer.
      if (session.version !== '2025-11-25' && place === 0) return;
      void open().then((stream) => stream?.end({ retryMs: COME_BACK_MS }));
    },
  };
}

export const eventId = ({ number }: ExchangeName, place: number) => `p${number}.${place}`;

function sendJson(response: ServerResponse, texts: readonly string[], isBatch: boolean): void {
  if (response.destroyed) return;
  if (texts.length === 0) return sendEmpty(response, 202);
  sendText(response, 200, isBatch ? `[${texts.join(',')}]` : texts[0]!);
}

/** An answer too large to keep is kept as an error, so that a resumed client does not wait. */
function withoutResult(text: string): string | null {
  const { id, method } = JSON.parse(text) as { id?: unknown; method?: unknown };
  return method === undefined ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${TOO_LARGE}` : null;
}

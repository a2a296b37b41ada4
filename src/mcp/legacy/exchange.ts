import type { ServerResponse } from 'node:http';
import { sendEmpty, sendText } from '../http.ts';
import { eventId } from './exchange-log.ts';
import { COME_BACK_MS, openExchangeStream } from './exchange-stream.ts';
import type {
  ExchangeStream,
  ExchangeStreamDependencies,
  ExchangeStreamInput,
} from './exchange-stream.ts';
import type { SessionFault } from './session.ts';

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
  refuse(fault: SessionFault): Promise<void>;
  /** Shutting down: the client comes back for the rest, wherever that is. */
  handOver(): void;
  /** The client may hold an event id. */
  isStream(): boolean;
}

export interface ExchangeDependencies extends ExchangeStreamDependencies {
  /** A silent exchange that takes longer becomes a stream. */
  quickMs: number;
}

export interface ExchangeInput extends ExchangeStreamInput {
  isBatch: boolean;
  refuse(fault: SessionFault): void;
}

export function openExchange(dependencies: ExchangeDependencies, input: ExchangeInput): Exchange {
  const { log, quickMs } = dependencies;
  const { session, response, isBatch } = input;
  const record = createRecord(dependencies);
  let isAnswered = false;
  let opening: Promise<ExchangeStream | null> | null = null;
  let opened: ExchangeStream | null = null;
  // Null: nothing was sent yet, as of most exchanges until their end.
  let order: Promise<unknown> | null = null;
  const timer = setTimeout(() => void open(), quickMs);

  /** Null: the client gets plain JSON, has gone, or was told that it has no session. */
  function open(): Promise<ExchangeStream | null> {
    clearTimeout(timer);
    opening ??= openExchangeStream(dependencies, input).then(
      (result) => {
        if (!('fault' in result)) return (opened = result);
        if (result.fault !== 'full' && result.fault !== 'closed') answerFault(result.fault);
        return null;
      },
      (error: unknown) => {
        log.error({ err: error }, 'a stream of a session could not be opened');
        return null;
      },
    );
    return opening;
  }

  function answerFault(fault: SessionFault): void {
    if (isAnswered) return;
    isAnswered = true;
    input.refuse(fault);
  }

  /** Messages leave in the order they were given, each when the one before has left. */
  function queue<T>(step: () => Promise<T>): Promise<T> {
    const done = order === null ? step() : order.then(step);
    order = done.catch((error: unknown) => log.error({ err: error }, 'an exchange broke'));
    return done;
  }

  /** The last step, after which nobody is listened to any more. */
  const last = (step: (live: ExchangeStream | null) => Promise<void> | void) =>
    queue(async () => {
      clearTimeout(timer);
      const live = opening === null ? null : await opening;
      if (!isAnswered) await step(live);
      isAnswered = true;
      live?.stopListening();
    });

  return {
    isStream: () => opened !== null,
    send: (text) =>
      queue(async () => {
        const live = isAnswered ? null : await open();
        if (live !== null) await record.append(live, text);
        return live !== null;
      }),
    finish: (texts) =>
      last(async (live) => {
        if (live === null) return sendJson(response, texts, isBatch);
        for (const text of texts) await record.append(live, text);
        await record.close(live);
      }),
    refuse: (fault) => last((live) => (live === null ? answerFault(fault) : live.stream.end())),
    handOver() {
      // A client that holds no event id could not come back for the answer.
      if (session.version !== '2025-11-25' && record.isEmpty()) return;
      void open().then((live) => live?.stream.end({ retryMs: COME_BACK_MS }));
    },
  };
}

const DRAIN_MS = 30_000;
const KEPT_BYTES = 2 * 1024 * 1024;
const TOO_LARGE = '"error":{"code":-32603,"message":"Internal error"}}';

/** What was sent, kept first and then written; a connection that is gone changes nothing. */
function createRecord({ exchangeLog, log }: ExchangeDependencies) {
  let place = 0;
  let bytes = 0;
  const keep = (work: Promise<void>) =>
    work.catch((error: unknown) => log.warn({ err: error }, 'event of an exchange not kept'));
  return {
    isEmpty: () => place === 0,
    async append({ stream, name }: ExchangeStream, text: string): Promise<void> {
      place += 1;
      bytes += Buffer.byteLength(text);
      const kept = bytes <= KEPT_BYTES ? text : withoutResult(text);
      if (kept !== null) await keep(exchangeLog.append(name, place, kept));
      stream.send({ id: eventId(name, place), data: text });
      await stream.drained(DRAIN_MS);
    },
    async close({ stream, name }: ExchangeStream): Promise<void> {
      await keep(exchangeLog.close(name, place));
      stream.end();
    },
  };
}

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

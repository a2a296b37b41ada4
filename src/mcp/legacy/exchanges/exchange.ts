import type { ServerResponse } from 'node:http';
import { fullText } from '../../protocol/call.ts';
import type { CachedText } from '../../protocol/call.ts';
import { retryAfter, sendEmpty, sendCached, sendText } from '../../protocol/http.ts';
import { createExchangeRecord } from './exchange-record.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import { openExchangeStream, RECONNECT_MS } from './exchange-stream.ts';
import type {
  ExchangeStream,
  ExchangeStreamDependencies,
  ExchangeStreamInput,
} from './exchange-stream.ts';
import type { SessionFault } from '../sessions/session.ts';

export interface ExchangeDependencies extends ExchangeStreamDependencies {
  /** An exchange without a response after this time becomes a stream. */
  streamAfterMs: number;
}

export interface ExchangeInput extends ExchangeStreamInput {
  isBatch: boolean;
  refuse(fault: SessionFault): void;
}

/**
 * Response to one POST: JSON if it is ready soon and no other message is sent first, otherwise an
 * event stream. Events are stored before they are written, so that a lost connection loses nothing.
 * Every call has an exchange and most send JSON, so the state of a stream is created on demand.
 */
export class Exchange {
  readonly #dependencies: ExchangeDependencies;
  readonly #input: ExchangeInput;
  readonly #timer: NodeJS.Timeout;
  #isAnswered = false;
  #opening: Promise<ExchangeStream | null> | null = null;
  #opened: ExchangeStream | null = null;
  #record: ExchangeRecord | null = null;
  /** Previous step; null until something is sent, usually at the end. */
  #order: Promise<unknown> | null = null;

  constructor(dependencies: ExchangeDependencies, input: ExchangeInput) {
    this.#dependencies = dependencies;
    this.#input = input;
    this.#timer = setTimeout(() => void this.#open(), dependencies.streamAfterMs);
  }

  /** Whether the client may have an event id. */
  get isStream(): boolean {
    return this.#opened !== null;
  }

  /** Sends a message before the response; resolves to false if no stream can be opened for it. */
  send(text: string): Promise<boolean> {
    return this.#queue(async () => {
      const live = this.#isAnswered ? null : await this.#open();
      if (live !== null) await this.#recordOf(live).append(text);
      return live !== null;
    });
  }

  /**
   * Sends the responses: several for a batch, none for a cancelled request, otherwise one. JSON for
   * one that the service was unavailable for has the status 503 if `retryAfterSeconds` is given.
   */
  finish(texts: readonly (string | CachedText)[], retryAfterSeconds?: number): Promise<void> {
    return this.#last((live) =>
      live === null
        ? sendJson(this.#input, texts, retryAfterSeconds)
        : this.#sendAll(texts, this.#recordOf(live)),
    );
  }

  async #sendAll(texts: readonly (string | CachedText)[], record: ExchangeRecord): Promise<void> {
    for (const text of texts) await record.append(fullText(text));
    await record.close();
  }

  /** Responds with a session fault, or ends the stream if one is open. */
  refuse(fault: SessionFault): Promise<void> {
    return this.#last((live) => (live === null ? this.#answerFault(fault) : live.stream.end()));
  }

  /**
   * Ends the exchange without a response if the client can still get any; returns whether it can. A
   * stream stays open for the response.
   */
  async abandon(): Promise<boolean> {
    let isOpen = false;
    await this.#queue(async () => {
      clearTimeout(this.#timer);
      const live = this.#opening === null ? null : await this.#opening;
      isOpen = live === null && !this.#isAnswered;
      if (isOpen) this.#isAnswered = true;
    });
    return isOpen;
  }

  /** Closes the connection at shutdown, so that the client resumes on another instance. */
  handOver(): void {
    // A client without an event id could not resume.
    if (this.#input.session.version !== '2025-11-25' && this.#record === null) return;
    void this.#open().then((live) => live?.stream.end({ retryMs: RECONNECT_MS }));
  }

  /** Opens the stream; null if the client gets JSON or a session fault, or has disconnected. */
  #open(): Promise<ExchangeStream | null> {
    clearTimeout(this.#timer);
    this.#opening ??= openExchangeStream(this.#dependencies, this.#input).then(
      (result) => {
        if (!('fault' in result)) return (this.#opened = result);
        if (result.fault !== 'full' && result.fault !== 'closed') this.#answerFault(result.fault);
        return null;
      },
      (error: unknown) => {
        this.#dependencies.log.error({ err: error }, 'could not open a stream of a session');
        return null;
      },
    );
    return this.#opening;
  }

  #recordOf(live: ExchangeStream): ExchangeRecord {
    this.#record ??= createExchangeRecord(this.#dependencies, live);
    return this.#record;
  }

  #answerFault(fault: SessionFault): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#input.refuse(fault);
  }

  /** Runs a step after all earlier ones, so that messages are sent in order. */
  #queue<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#order === null ? step() : this.#order.then(step);
    const { log } = this.#dependencies;
    this.#order = done.catch((error: unknown) => log.error({ err: error }, 'exchange failed'));
    return done;
  }

  /** Runs the last step, then stops listening for signals. */
  #last(step: (live: ExchangeStream | null) => Promise<void> | void): Promise<void> {
    return this.#queue(async () => {
      clearTimeout(this.#timer);
      const live = this.#opening === null ? null : await this.#opening;
      if (!this.#isAnswered) await step(live);
      this.#isAnswered = true;
      live?.stopListening();
    });
  }
}

function sendJson(
  { response, isBatch }: { response: ServerResponse; isBatch: boolean },
  texts: readonly (string | CachedText)[],
  retryAfterSeconds: number | undefined,
): void {
  if (response.destroyed) return;
  const [first] = texts;
  if (first === undefined) return sendEmpty(response, 202);
  if (isBatch) return sendText(response, 200, `[${texts.map(fullText).join(',')}]`);
  if (retryAfterSeconds !== undefined)
    return sendText(response, 503, fullText(first), retryAfter(retryAfterSeconds));
  if (typeof first === 'string') return sendText(response, 200, first);
  sendCached(response, first);
}

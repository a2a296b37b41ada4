import type { ServerResponse } from 'node:http';
import { wholeText } from '../../protocol/call.ts';
import type { KeptText } from '../../protocol/call.ts';
import { sendEmpty, sendKept, sendText } from '../../protocol/http.ts';
import { createExchangeRecord } from './exchange-record.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import { COME_BACK_MS, openExchangeStream } from './exchange-stream.ts';
import type {
  ExchangeStream,
  ExchangeStreamDependencies,
  ExchangeStreamInput,
} from './exchange-stream.ts';
import type { SessionFault } from '../sessions/session.ts';

export interface ExchangeDependencies extends ExchangeStreamDependencies {
  /** A silent exchange that takes longer becomes a stream. */
  quickMs: number;
}

export interface ExchangeInput extends ExchangeStreamInput {
  isBatch: boolean;
  refuse(fault: SessionFault): void;
}

/**
 * The answer to one POST: JSON if it is done soon and silent, else an event stream whose events
 * are kept before they are written, so that a lost connection loses nothing. Every call has one and
 * most are silent, so what a stream needs is made only with the stream.
 */
export class Exchange {
  readonly #dependencies: ExchangeDependencies;
  readonly #input: ExchangeInput;
  readonly #timer: NodeJS.Timeout;
  #isAnswered = false;
  #opening: Promise<ExchangeStream | null> | null = null;
  #opened: ExchangeStream | null = null;
  #record: ExchangeRecord | null = null;
  /** The step before the next one; null: nothing was sent yet, as of most until their end. */
  #order: Promise<unknown> | null = null;

  constructor(dependencies: ExchangeDependencies, input: ExchangeInput) {
    this.#dependencies = dependencies;
    this.#input = input;
    this.#timer = setTimeout(() => void this.#open(), dependencies.quickMs);
  }

  /** The client may hold an event id. */
  get isStream(): boolean {
    return this.#opened !== null;
  }

  /** Sends a message before the answer; false where no stream may be opened for it. */
  send(text: string): Promise<boolean> {
    return this.#queue(async () => {
      const live = this.#isAnswered ? null : await this.#open();
      if (live !== null) await this.#recordOf(live).append(text);
      return live !== null;
    });
  }

  /** The answers, one message each; an exchange of one message has one or, cancelled, none. */
  finish(texts: readonly (string | KeptText)[]): Promise<void> {
    return this.#last((live) =>
      live === null ? sendJson(this.#input, texts) : this.#keep(texts, this.#recordOf(live)),
    );
  }

  async #keep(texts: readonly (string | KeptText)[], record: ExchangeRecord): Promise<void> {
    for (const text of texts) await record.append(wholeText(text));
    await record.close();
  }

  /** Answers a session that is none, whatever else was going on. */
  refuse(fault: SessionFault): Promise<void> {
    return this.#last((live) => (live === null ? this.#answerFault(fault) : live.stream.end()));
  }

  /** Shutting down: the client comes back for the rest, wherever that is. */
  handOver(): void {
    // A client that holds no event id could not come back for the answer.
    if (this.#input.session.version !== '2025-11-25' && this.#record === null) return;
    void this.#open().then((live) => live?.stream.end({ retryMs: COME_BACK_MS }));
  }

  /** Null: the client gets plain JSON, has gone, or was told that it has no session. */
  #open(): Promise<ExchangeStream | null> {
    clearTimeout(this.#timer);
    this.#opening ??= openExchangeStream(this.#dependencies, this.#input).then(
      (result) => {
        if (!('fault' in result)) return (this.#opened = result);
        if (result.fault !== 'full' && result.fault !== 'closed') this.#answerFault(result.fault);
        return null;
      },
      (error: unknown) => {
        this.#dependencies.log.error({ err: error }, 'a stream of a session could not be opened');
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

  /** Messages leave in the order they were given, each when the one before has left. */
  #queue<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#order === null ? step() : this.#order.then(step);
    const { log } = this.#dependencies;
    this.#order = done.catch((error: unknown) => log.error({ err: error }, 'an exchange broke'));
    return done;
  }

  /** The last step, after which nobody is listened to any more. */
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
  texts: readonly (string | KeptText)[],
): void {
  if (response.destroyed) return;
  const [first] = texts;
  if (first === undefined) return sendEmpty(response, 202);
  if (isBatch) return sendText(response, 200, `[${texts.map(wholeText).join(',')}]`);
  if (typeof first === 'string') return sendText(response, 200, first);
  sendKept(response, first);
}

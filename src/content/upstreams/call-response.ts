import type { Progress } from '../../catalog/catalog.ts';
import { StructureScan } from '../../platform/json/structure.ts';
import { joined } from '../../platform/outbound/outbound-body.ts';
import type { ResponseReceiver } from '../../platform/outbound/outbound.ts';
import type { ResponseHead } from '../../platform/outbound/response-head.ts';
import { EventReader } from './event-reader.ts';
import { HttpError, ProtocolError } from './failure.ts';
import { STRUCTURE_LIMITS, throwIfFault } from './structure-limit.ts';

// Maximum growth of a number when it is serialized again: `1e20` becomes 21 characters.
const NUMBER_GROWTH = 17;

/** A result as received, not yet validated. */
export interface ReceivedResult {
  result: unknown;
  /** Upper limit of its size when it is written again. */
  maxBytes: number;
}

/** The event stream ended before the response; it can be resumed after this event. */
export class Interrupted extends Error {
  readonly lastEventId: string;

  constructor(lastEventId: string) {
    super('the event stream ended before the response');
    this.lastEventId = lastEventId;
  }
}

export interface CallResponseOptions {
  id: number;
  is2026: boolean;
  onProgress: ((progress: Progress) => void) | undefined;
  onOther(message: unknown): void;
}

type Message = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/** The HTTP response to one call: JSON, or an event stream with the JSON-RPC response in it. */
export class CallResponse implements ResponseReceiver {
  readonly result: Promise<ReceivedResult>;
  /** Whether its body has not ended. */
  isOpen = true;
  readonly #options: CallResponseOptions;
  readonly #scan = new StructureScan(STRUCTURE_LIMITS);
  readonly #chunks: Buffer[] = [];
  readonly #settle: PromiseWithResolvers<ReceivedResult>;
  #status = 0;
  #events: EventReader | null = null;

  constructor(options: CallResponseOptions) {
    this.#options = options;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
    // The caller awaits it only after the request was sent.
    this.result.catch(() => {});
  }

  onHead({ status, headers }: ResponseHead): void {
    this.#status = status;
    if (status < 200 || status >= 300) return;
    const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
    if (type === 'text/event-stream')
      this.#events = new EventReader((data) => this.#readEvent(data));
    else if (type !== 'application/json') throw new Error('unexpected content type');
  }

  onChunk(chunk: Buffer): void {
    if (this.#events !== null) return this.#events.read(chunk);
    this.#scanJson(chunk);
    this.#chunks.push(chunk);
  }

  /** Handles the end of the body. */
  end(): void {
    this.isOpen = false;
    try {
      if (this.#events === null) this.#readBody();
      const lastEventId = this.#events?.lastEventId;
      // Without effect if the response was received.
      throw lastEventId === undefined ? new Error('no response') : new Interrupted(lastEventId);
    } catch (error) {
      this.#settle.reject(error);
    }
  }

  fail(error: unknown): void {
    this.isOpen = false;
    this.#settle.reject(error);
  }

  #readBody(): void {
    const body = joined(this.#chunks);
    const isSuccess = this.#status >= 200 && this.#status < 300;
    // In 2026's protocol, a request that is refused before it is handled has the status 400.
    if (!isSuccess && !(this.#options.is2026 && this.#status === 400))
      throw new HttpError(this.#status);
    const { parsed, bytes } = parse(body);
    // Batches existed in 2025-03-26.
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) this.#read(message, bytes);
    if (!isSuccess) throw new HttpError(this.#status);
  }

  #readEvent(data: Buffer): void {
    this.#scan.endLine();
    this.#scan.depth = 0;
    this.#scanJson(data);
    const { parsed, bytes } = parse(data);
    if (parsed !== undefined) this.#read(parsed, bytes);
  }

  #scanJson(json: Buffer): void {
    this.#scan.readJson(json);
    throwIfFault(this.#scan.fault);
  }

  #read(message: unknown, bytes: number): void {
    if (!isObject(message) || message['jsonrpc'] !== '2.0') return;
    const { id, onOther } = this.#options;
    const isResponse = message['method'] === undefined && Number(message['id']) === id;
    if (isResponse && isObject(message['error']))
      this.#settle.reject(protocolError(message['error']));
    else if (isResponse) {
      // There are fewer numbers than marks, of which all messages are counted.
      const maxBytes = bytes + NUMBER_GROWTH * (this.#scan.marks + 1);
      this.#settle.resolve({ result: message['result'], maxBytes });
    } else if (!this.#readProgress(message)) onOther(message);
  }

  /** Returns false if the message is not progress of this call. */
  #readProgress({ method, params }: Message): boolean {
    const { id, onProgress } = this.#options;
    if (method !== 'notifications/progress' || onProgress === undefined) return false;
    if (!isObject(params) || Number(params['progressToken']) !== id) return false;
    const { progress, total, message } = params;
    if (isFiniteNumber(progress))
      onProgress({
        progress,
        ...(isFiniteNumber(total) ? { total } : {}),
        ...(typeof message === 'string' ? { message } : {}),
      });
    return true;
  }
}

const protocolError = ({ code, message }: Message) =>
  typeof code === 'number' && typeof message === 'string'
    ? new ProtocolError(code, message)
    : new Error('an invalid JSON-RPC error');

/**
 * Returns a value, or undefined for invalid JSON, with an upper limit of the bytes of its texts: a
 * byte that is not valid in UTF-8 becomes U+FFFD, which takes three.
 */
function parse(json: Buffer): { parsed: unknown; bytes: number } {
  const text = decoder.decode(json);
  const bytes = text.includes('\uFFFD') ? Infinity : json.length;
  try {
    return { parsed: JSON.parse(text), bytes };
  } catch {
    return { parsed: undefined, bytes };
  }
}

/** JSON can say numbers that it cannot write again, such as `1e999`. */
const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

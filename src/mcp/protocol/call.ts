import type { IncomingHttpHeaders } from 'node:http';
import type { SessionState, SessionTouch } from '../../limits/limits.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';
import type { RereadableAuthorization } from './authorization.ts';
import type { Cancellation } from './cancellation.ts';

export type Era = '2025' | '2026';

/** The client's description of itself; it may affect behavior, never authorization. */
export interface ClientInfo {
  name: string | null;
  version: string | null;
  capabilities: Readonly<Record<string, unknown>>;
}

export interface Notification {
  method: string;
  params?: Readonly<Record<string, unknown>>;
}

/** A session that the admission script checks and renews; `state` is undefined until it has run. */
export interface CallSession {
  readonly touch: SessionTouch;
  state: SessionState | undefined;
}

/** An authenticated JSON-RPC request of either protocol version; the HTTP checks have passed. */
export interface Call extends RereadableAuthorization {
  era: Era;
  /** UUID that identifies the call in admission and in the ledger; new for each call. */
  call_id: string;
  /** Id of the HTTP request, as in the response's `X-Request-Id`. */
  request_id: string;
  /** Protocol version, from the session or the envelope. */
  version: string;
  id: string | number;
  method: string;
  params: unknown;
  /** Returns the client's IP address as seen through trusted proxies; computed on demand. */
  address(): string;
  client: ClientInfo;
  /** Triggered by closing the response (2026) or by `notifications/cancelled` (2025). */
  cancellation: Cancellation;
  /** Sends a notification of this request, such as progress. */
  notify(message: Notification): void;
  /** Sends a request to the client and waits for its response; absent if it cannot be sent. */
  request?(message: Notification): Promise<unknown>;
  session?: CallSession;
  /** Headers of a 2026 request, some of which repeat arguments. */
  headers?: IncomingHttpHeaders;
}

export interface ProtocolError {
  code: number;
  message: string;
  data?: Readonly<Record<string, unknown>>;
}

/** Result or error. `text` and `cached` are serialized results: a JSON object that is not empty. */
export type Reply = { result: object } | { text: string } | { cached: CachedText } | ErrorReply;

export interface ErrorReply {
  error: ProtocolError;
  /** Set if the service was unavailable and nothing was saved: HTTP 503, unless a stream has begun. */
  retryAfterSeconds?: number;
  /** Sent in place of the error, as HTTP 401, unless a stream has begun. */
  unauthenticated?: Refusal;
}

/** A long text stored mostly as bytes, so that responses need not copy and encode it again. */
export interface CachedText {
  before: string;
  bytes: Buffer;
  after: string;
}

export const fullText = (written: string | CachedText): string =>
  typeof written === 'string'
    ? written
    : `${written.before}${written.bytes.toString()}${written.after}`;

/** Id of a JSON-RPC message; null in the response to a message whose id could not be read. */
export type MessageId = string | number | null;

/**
 * Returns the serialized response. `fields` are members added to every result of the method,
 * serialized, with a trailing comma: `"resultType":"complete",`.
 */
export function writeReply(id: MessageId, reply: Reply, fields = ''): string {
  if ('cached' in reply) return fullText(writeCached(id, reply.cached, fields));
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  if ('error' in reply) return `${head}"error":${JSON.stringify(reply.error)}}`;
  const text = 'text' in reply ? reply.text : JSON.stringify(reply.result);
  if (fields === '') return `${head}"result":${text}}`;
  const own = text.slice(1);
  return `${head}"result":{${own === '}' ? fields.slice(0, -1) : fields}${own}}`;
}

/** Returns the serialized response of a `cached` result. */
export const writeCached = (id: MessageId, cached: CachedText, fields = ''): CachedText => ({
  before: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${fields}${cached.before.slice(1)}`,
  bytes: cached.bytes,
  after: `${cached.after}}`,
});

import type { IncomingHttpHeaders } from 'node:http';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { SessionState, SessionTouch } from '../../limits/limits.ts';
import type { View } from '../../visibility/visibility.ts';
import type { Cancellation } from './cancellation.ts';

export type Era = '2025' | '2026';

/** Who the client program says it is; for behaviour by capability, never for rights. */
export interface ClientInfo {
  name: string | null;
  version: string | null;
  capabilities: Readonly<Record<string, unknown>>;
}

export interface Notification {
  method: string;
  params?: Readonly<Record<string, unknown>>;
}

/** A session the admission script looks after in passing; `state` is undefined until it was asked. */
export interface CallSession {
  readonly touch: SessionTouch;
  state: SessionState | undefined;
}

/** One JSON-RPC request of either era, authenticated, with its HTTP already checked. */
export interface Call {
  era: Era;
  /** What the ledger and the admission know it by; new for each call, and a UUID. */
  call_id: string;
  /** The protocol version it speaks: the session's or the envelope's. */
  version: string;
  id: string | number;
  method: string;
  params: unknown;
  caller: AgentPrincipal;
  /** The client's, behind trusted proxies; worked out when asked for. */
  address(): string;
  /** What the caller reaches, read for this request; null: it could not be learned, doubt closes. */
  view: View | null;
  client: ClientInfo;
  /** Authenticates again and reads what the caller reaches by then. */
  identify(): Promise<Pick<Call, 'caller' | 'view'>>;
  /** Era 2026: the response was closed. Era 2025: `notifications/cancelled`. */
  cancellation: Cancellation;
  /** Sends a notification that belongs to this request alone (progress). */
  notify(message: Notification): void;
  /** Asks the client something and waits for its answer; absent where a leg cannot. */
  request?(message: Notification): Promise<unknown>;
  session?: CallSession;
  /** Era 2026: the request's headers, some of which repeat arguments. */
  headers?: IncomingHttpHeaders;
}

export interface ProtocolError {
  code: number;
  message: string;
  data?: Readonly<Record<string, unknown>>;
}

/** `text` and `kept` are results already serialised: JSON of one object with a member or more. */
export type Reply =
  | { result: object }
  | { text: string }
  | { kept: KeptText }
  | { error: ProtocolError };

/** A long text of which most is kept as bytes, so that no answer copies and encodes it again. */
export interface KeptText {
  before: string;
  bytes: Buffer;
  after: string;
}

export const wholeText = (written: string | KeptText): string =>
  typeof written === 'string'
    ? written
    : `${written.before}${written.bytes.toString()}${written.after}`;

/** A message as JSON-RPC has it; `id` null answers what had none. */
export type MessageId = string | number | null;

/**
 * The response on the wire. `fields` are members every result of the method carries besides its
 * own, already serialised and with a trailing comma: `"resultType":"complete",`.
 */
export function writeReply(id: MessageId, reply: Reply, fields = ''): string {
  if ('kept' in reply) return wholeText(writeKept(id, reply.kept, fields));
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  if ('error' in reply) return `${head}"error":${JSON.stringify(reply.error)}}`;
  const text = 'text' in reply ? reply.text : JSON.stringify(reply.result);
  if (fields === '') return `${head}"result":${text}}`;
  const own = text.slice(1);
  return `${head}"result":{${own === '}' ? fields.slice(0, -1) : fields}${own}}`;
}

/** The same of a kept result. */
export const writeKept = (id: MessageId, kept: KeptText, fields = ''): KeptText => ({
  before: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${fields}${kept.before.slice(1)}`,
  bytes: kept.bytes,
  after: `${kept.after}}`,
});

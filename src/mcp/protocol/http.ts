import type { ServerResponse } from 'node:http';
import type { CachedText, MessageId, ProtocolError } from './call.ts';
import { writeReply } from './call.ts';

/** Headers of every event stream: proxies must not cache, transform or buffer it. */
export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** JSON-RPC code of HTTP layer errors; `data.code` is the error's code in REST. */
export const HTTP_LAYER = -32000;

type Headers = Readonly<Record<string, string>>;

/** Returns the headers that tell a client when to try again; none if that is unknown. */
export const retryAfter = (seconds: number | undefined): Headers =>
  seconds === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) };

/** Sends a JSON text with its length, and the headers already set on the response. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Headers = {},
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const length = Buffer.byteLength(text);
  // ASCII text has the same bytes in Latin-1, which Node writes without inspecting each character.
  response.writeHead(status, jsonOf(length)).end(text, length === text.length ? 'latin1' : 'utf8');
}

/** Sends a JSON text that is stored mostly as bytes. */
export function sendCached(response: ServerResponse, { before, bytes, after }: CachedText): void {
  const length = Buffer.byteLength(before) + bytes.length + Buffer.byteLength(after);
  response.writeHead(200, jsonOf(length));
  response.cork();
  response.write(before);
  response.write(bytes);
  response.end(after);
  response.uncork();
}

/** Returns the headers as an array, which Node writes unchanged. */
const jsonOf = (length: number) => [
  'Content-Type',
  'application/json',
  'Content-Length',
  String(length),
];

export function sendError(
  response: ServerResponse,
  status: number,
  error: ProtocolError,
  { id = null, headers = {} }: { id?: MessageId; headers?: Headers } = {},
): void {
  sendText(response, status, writeReply(id, { error }), headers);
}

/** Sends 202 for messages that have no reply, 204 for other requests without content. */
export function sendEmpty(response: ServerResponse, status: 202 | 204): void {
  response.statusCode = status;
  if (status === 202) response.setHeader('Content-Length', 0);
  response.end();
}

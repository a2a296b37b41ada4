import type { ServerResponse } from 'node:http';
import type { KeptText, MessageId, ProtocolError } from './call.ts';
import { writeReply } from './call.ts';

/** What every event stream says of itself: nothing on the way may keep, change or hold it. */
export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** Code of an error of the HTTP layer; `data.code` says which, as REST names it. */
export const HTTP_LAYER = -32000;

type Headers = Readonly<Record<string, string>>;

/** One JSON text with its length. Headers set on the response before stay. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text);
  // A text of ASCII alone is the same bytes in Latin-1, which are written without looking at each.
  response.writeHead(status, jsonOf(length)).end(text, length === text.length ? 'latin1' : 'utf8');
}

/** The same of a text that is partly bytes. */
export function sendKept(response: ServerResponse, { before, bytes, after }: KeptText): void {
  const length = Buffer.byteLength(before) + bytes.length + Buffer.byteLength(after);
  response.writeHead(200, jsonOf(length));
  response.cork();
  response.write(before);
  response.write(bytes);
  response.end(after);
  response.uncork();
}

/** As a list, which Node writes as it is. */
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
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendText(response, status, writeReply(id, { error }));
}

/** 202 for what has no answer, 204 for what has none to give. */
export function sendEmpty(response: ServerResponse, status: 202 | 204): void {
  response.statusCode = status;
  if (status === 202) response.setHeader('Content-Length', 0);
  response.end();
}

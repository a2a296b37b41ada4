import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { envelope } from './errors.ts';

/** What the HTTP parser refuses never reaches a route: the envelope is written by hand. */
export function answerBrokenFraming(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, body] = answerOf(error.code);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
      `cache-control: no-store\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` +
      `connection: close\r\n\r\n${text}`,
  );
}

function answerOf(code: string | undefined): [status: number, body: object] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, envelope('headers_too_large', 'The headers are too large.')];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, envelope('request_timeout', 'The request did not arrive in time.')];
  return [400, envelope('bad_request', 'The request could not be read.')];
}

/** `Expect` with anything but 100-continue: Node's own answer would be bare. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(envelope('expectation_failed', 'Leave out the Expect header.'));
  response
    .writeHead(417, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(body);
}

import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { envelope } from './errors.ts';
import { securityHeaders } from './security-headers.ts';

// Sent before the request is parsed, so without HSTS, which all other HTTPS responses have.
const headers = { 'content-type': 'application/json', ...securityHeaders(false) };

/**
 * Writes the error envelope for requests that the HTTP parser rejects; they do not reach a route.
 */
export function rejectBrokenFraming(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, body] = errorFor(error.code);
  const text = JSON.stringify(body);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
      '',
      text,
    ].join('\r\n'),
  );
}

function errorFor(code: string | undefined): [status: number, body: object] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, envelope('headers_too_large', 'The headers are too large.')];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, envelope('request_timeout', 'The request did not arrive in time.')];
  return [400, envelope('bad_request', 'The request could not be read.')];
}

/** Sends 417 for any `Expect` except 100-continue: Node's own response would have no body. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(envelope('expectation_failed', 'Remove the Expect header.'));
  response.writeHead(417, headers).end(body);
}

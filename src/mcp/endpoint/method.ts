import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTP_LAYER, sendEmpty, sendError } from '../protocol/http.ts';

export const METHODS = ['POST', 'GET', 'DELETE'];

/** Sends 405. */
export function refuseMethod(response: ServerResponse, allowed: readonly string[]): void {
  const error = {
    code: HTTP_LAYER,
    message: `Use ${allowed.join(', ')}.`,
    data: { code: 'method_not_allowed' },
  };
  sendError(response, 405, error, { headers: { Allow: allowed.join(', ') } });
}

/** Lets a page of the origin read the response. */
export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
  response.setHeader('Vary', 'Origin');
}

/** Answers a browser that asks what a page may send. */
export function sendPreflight(request: IncomingMessage, response: ServerResponse): void {
  const requestedHeaders = request.headers['access-control-request-headers'];
  response.setHeader('Access-Control-Allow-Methods', METHODS.join(', '));
  if (requestedHeaders !== undefined)
    response.setHeader('Access-Control-Allow-Headers', requestedHeaders);
  response.setHeader('Access-Control-Max-Age', '600');
  sendEmpty(response, 204);
}

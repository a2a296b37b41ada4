import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * Headers that a client or a proxy could use to change the URLs that a response contains, and those
 * that describe a body which has been read.
 */
const MISLEADING = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-prefix',
  'transfer-encoding',
  // Its answer would be a page; with cookies, an origin that is reflected.
  'accept',
  'origin',
];

/**
 * Returns a request for oidc-provider whose body has been read, and whose URLs are those of
 * `publicUrl`, whatever its headers say.
 */
export function forwardedRequest(
  request: IncomingMessage,
  body: Buffer | null,
  publicUrl: string,
): IncomingMessage {
  const { host, protocol } = new URL(publicUrl);
  const headers = { ...request.headers };
  for (const name of MISLEADING) delete headers[name];
  Object.assign(headers, {
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    accept: 'application/json',
    ...(body === null ? {} : { 'content-length': String(body.length) }),
  });
  const { method, url, rawHeaders, socket, httpVersion, httpVersionMajor } = request;
  const stream = Readable.from(body === null ? [] : [body], { objectMode: false });
  return Object.assign(stream, {
    ...{ method, url, headers, rawHeaders, socket, httpVersion, httpVersionMajor },
  }) as unknown as IncomingMessage;
}

import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { Exchange } from './exchange.ts';
import type { Receiver } from './exchange.ts';
import { boundBody, decompress, joined, tooLarge } from './outbound-body.ts';
import { createAgents, notPublic, resolveName } from './guarded-agents.ts';
import type { Agents, Resolve } from './guarded-agents.ts';
import { OutboundError } from './outbound-error.ts';
import { isEmpty, readHead, requireIdentity } from './response-head.ts';
import type { ResponseHead } from './response-head.ts';
import { isPublicAddress } from './public-address.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/** Framing, host, cookie and proxy headers, which callers cannot set. */
export const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set(
  (
    'accept-encoding connection content-length cookie expect host http2-settings keep-alive ' +
    'proxy-authorization proxy-connection te trailer transfer-encoding upgrade'
  ).split(' '),
);

export interface OutboundRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  /** The `cookie` header of this request; there is no cookie store. */
  cookie?: string;
  body?: string | Uint8Array;
  /** Total timeout: DNS, connection, headers and body. */
  timeoutMs: number;
  /** Limit of the response body, both as sent and decompressed. */
  maxBytes: number;
  signal?: AbortSignal;
}

export interface OutboundResponse extends ResponseHead {
  body: Uint8Array;
}

/** A streamed response; the body fails with an `OutboundError` at its limits. */
export interface OutboundStream extends ResponseHead {
  body: Readable;
}

/** Receives a response in parts; an error that it throws ends the request. */
export interface ResponseReceiver {
  onHead(head: ResponseHead): void;
  onChunk(chunk: Buffer): void;
}

/** A request whose response is being received. */
export interface Receiving {
  /** Resolves when the response is complete; rejects like `open`, or with what `end` was given. */
  done: Promise<void>;
  end(reason: Error): void;
}

export interface Outbound {
  /**
   * Throws for a URL that can never be requested; names are resolved and checked on each request.
   */
  check(url: string): void;
  fetch(request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Resolves with the headers. Requests no compression, so that each event arrives when it is sent.
   */
  open(request: OutboundRequest): Promise<OutboundStream>;
  /** Like `open`, but passes the response on as it arrives, which costs far less than a stream. */
  receive(request: OutboundRequest, receiver: ResponseReceiver): Receiving;
  /** Closes idle and active connections. */
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** `host` or `host:port` allowed over http and at any address. */
  allow: readonly string[];
  /** Resolves a name to all its addresses; overridden in tests. */
  resolve?: Resolve;
}

/**
 * Creates the only outbound HTTP client: https to public addresses, no redirects, no cookies,
 * strict limits.
 */
export function createOutbound({ allow, resolve = resolveName }: OutboundOptions): Outbound {
  const allowed = new Set(allow.map((host) => host.toLowerCase()));
  const isAllowed = (url: URL) =>
    allowed.has(url.hostname) || allowed.has(`${url.hostname}:${portOf(url)}`);
  let agents: Promise<Agents> | undefined;
  let loaded: Agents | undefined;
  const agentFor = (url: URL, opened: Agents) => (isAllowed(url) ? opened.open : opened.guarded);
  const loadAgents = () => (agents ??= createAgents(resolve).then((created) => (loaded = created)));

  function send(
    request: OutboundRequest,
    response: ResponseReceiver,
    encodings: string,
  ): Receiving {
    const url = readUrl(request.url, isAllowed);
    const { timeoutMs, signal } = request;
    const receiver = bounded(url, request.maxBytes, response);
    const limits = { timeoutMs, signal, timeoutError: timedOut, mapError: toOutboundError };
    // First: what it throws would leave an exchange that no one awaits.
    const options = dispatchOptions(url, request, encodings);
    const exchange = new Exchange({ receiver, ...limits });
    const begin = (opened: Agents) => exchange.send(agentFor(url, opened), options);
    if (loaded !== undefined) begin(loaded);
    else loadAgents().then(begin, (error: unknown) => exchange.end(error));
    return exchange;
  }

  async function open(request: OutboundRequest): Promise<OutboundStream> {
    const url = readUrl(request.url, isAllowed);
    const deadline = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    const mapError = (error: unknown) => {
      request.signal?.throwIfAborted();
      return deadline.aborted ? timedOut() : toOutboundError(error);
    };
    const options = { ...dispatchOptions(url, request, 'identity'), signal };
    const agent = agentFor(url, await loadAgents());
    try {
      const { statusCode, headers, body } = await agent.request(options);
      const head = headOfStream(url, request, { statusCode, headers, body });
      return { ...head, body: boundBody(body, { maxBytes: request.maxBytes, mapError }) };
    } catch (error) {
      throw mapError(error);
    }
  }

  async function close(): Promise<void> {
    const opened = await agents;
    await Promise.all([opened?.guarded.destroy(), opened?.open.destroy()]);
  }

  return {
    check: (url) => void readUrl(url, isAllowed),
    fetch: (request) =>
      collect(request, (receiver) => send(request, receiver, 'gzip, deflate, br').done),
    open,
    receive: (request, receiver) => send(request, uncompressed(request, receiver), 'identity'),
    close,
  };
}

/** Passes a response on, up to `maxBytes` of its body. */
function bounded(url: URL, maxBytes: number, response: ResponseReceiver): Receiver {
  let bytes = 0;
  return {
    onHead: (status, headers) => response.onHead(readHead(url, status, headers)),
    onChunk(chunk) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      response.onChunk(chunk);
    },
  };
}

/** Reads the head of a streamed response; a body that will not be read is destroyed. */
function headOfStream(
  url: URL,
  request: OutboundRequest,
  { statusCode, headers, body }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>,
): ResponseHead {
  try {
    const head = readHead(url, statusCode, headers);
    requireIdentity(request, head);
    return head;
  } catch (error) {
    body.on('error', () => {}).destroy();
    throw error;
  }
}

/** Collects a response and decompresses its body. */
async function collect(
  request: OutboundRequest,
  receive: (receiver: ResponseReceiver) => Promise<void>,
): Promise<OutboundResponse> {
  const chunks: Buffer[] = [];
  let head!: ResponseHead;
  await receive({
    onHead: (received) => void (head = received),
    onChunk: (chunk) => void chunks.push(chunk),
  });
  const encoding = isEmpty(request, head) ? '' : (head.headers['content-encoding'] ?? '');
  try {
    return { ...head, body: await decompress(joined(chunks), encoding, request.maxBytes) };
  } catch (error) {
    throw toOutboundError(error);
  }
}

const uncompressed = (request: OutboundRequest, receiver: ResponseReceiver): ResponseReceiver => ({
  onHead(head) {
    requireIdentity(request, head);
    receiver.onHead(head);
  },
  onChunk: (chunk) => receiver.onChunk(chunk),
});

function readUrl(text: string, isAllowed: (url: URL) => boolean): URL {
  const url = URL.parse(text);
  if (!url) throw new OutboundError('url_not_allowed', 'The URL must be absolute.');
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('url_not_allowed', 'The URL must not contain a user name or password.');
  const isOpen = isAllowed(url);
  if (url.protocol !== 'https:' && !(isOpen && url.protocol === 'http:'))
    throw new OutboundError('url_not_allowed', 'Only https URLs are allowed.');
  const address = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!isOpen && isIP(address) !== 0 && !isPublicAddress(address)) throw notPublic(address);
  return url;
}

function dispatchOptions(url: URL, request: OutboundRequest, encodings: string) {
  const method = METHODS.find((name) => name === (request.method ?? 'GET').toUpperCase());
  if (!method) throw new OutboundError('invalid_request', 'The method is not supported.');
  const headers: Record<string, string> = { 'user-agent': 'toolgate' };
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (FORBIDDEN_HEADERS.has(name.toLowerCase()))
      throw new OutboundError('invalid_request', `The header ${name} cannot be set.`);
    headers[name.toLowerCase()] = value;
  }
  if (request.cookie !== undefined) headers['cookie'] = request.cookie;
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: { ...headers, 'accept-encoding': encodings },
    body: request.body ?? null,
    // The deadline of the whole request is earlier.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/**
 * Maps the errors of undici, which wraps the errors of several addresses in one and has its own
 * error codes.
 */
function toOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return timedOut();
  if (code === 'UND_ERR_INVALID_ARG')
    return new OutboundError(
      'invalid_request',
      'A header or the URL has characters that HTTP does not allow.',
    );
  if (/^(Z_|ERR__?ZLIB|ERR_BROTLI|ERR__ERROR_FORMAT|HPE_)/.test(code))
    return new OutboundError('invalid_response', 'The response is not valid HTTP.', {}, error);
  return new OutboundError('unreachable', 'The server could not be reached.', {}, error);
}

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80');
const timedOut = () => new OutboundError('timeout', 'The server did not respond in time.');

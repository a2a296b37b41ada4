import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupAddress } from 'node:dns';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { limitChunks } from './chunk-limit.ts';
import { boundBody, readBody } from './outbound-body.ts';
import { OutboundError } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const CONNECT_TIMEOUT_MS = 5000;
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

export interface OutboundResponse {
  status: number;
  /** Lower-case names; repeated fields joined by a comma, `set-cookie` left out. */
  headers: Record<string, string>;
  body: Uint8Array;
  url: string;
}

/** A streamed response; the body fails with an `OutboundError` at its limits. */
export interface OutboundStream extends Omit<OutboundResponse, 'body'> {
  body: Readable;
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
  /** Closes idle and active connections. */
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** `host` or `host:port` allowed over http and at any address. */
  allow: readonly string[];
  /** Resolves a name to all its addresses; overridden in tests. */
  resolve?: (hostname: string, isAllowed: boolean) => Promise<LookupAddress[]>;
}

/**
 * Creates the only outbound HTTP client: https to public addresses, no redirects, no cookies,
 * strict limits.
 */
export function createOutbound({ allow, resolve = resolveName }: OutboundOptions): Outbound {
  const allowed = new Set(allow.map((host) => host.toLowerCase()));
  const isAllowed = (url: URL) =>
    allowed.has(url.hostname) || allowed.has(`${url.hostname}:${portOf(url)}`);
  let agents: ReturnType<typeof createAgents> | undefined;

  async function begin(request: OutboundRequest, encodings: string): Promise<OpenResponse> {
    const url = readUrl(request.url, isAllowed);
    const isOpen = isAllowed(url);
    const deadline = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    const mapError = (error: unknown) => {
      request.signal?.throwIfAborted();
      return deadline.aborted
        ? new OutboundError('timeout', 'The server did not respond in time.')
        : toOutboundError(error);
    };
    agents ??= createAgents(resolve);
    const { open: openAgent, guarded } = await agents;
    try {
      const options = requestOptions(url, request, signal, encodings);
      const response = await (isOpen ? openAgent : guarded).request(options);
      return { ...readHead(url, response), stream: response.body, signal, mapError };
    } catch (error) {
      throw mapError(error);
    }
  }

  async function fetch(request: OutboundRequest): Promise<OutboundResponse> {
    const { stream, signal, mapError, ...head } = await begin(request, 'gzip, deflate, br');
    const { maxBytes } = request;
    const encoding = isEmpty(request, head) ? '' : (head.headers['content-encoding'] ?? '');
    try {
      return { ...head, body: await readBody(stream, { encoding, maxBytes, signal }) };
    } catch (error) {
      throw mapError(error);
    }
  }

  async function open(request: OutboundRequest): Promise<OutboundStream> {
    const { stream, signal: _signal, mapError, ...head } = await begin(request, 'identity');
    const encoding = head.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity' && !isEmpty(request, head)) {
      stream.on('error', () => {}).destroy();
      throw new OutboundError(
        'invalid_response',
        'The response is compressed although that was not requested.',
      );
    }
    return { ...head, body: boundBody(stream, { maxBytes: request.maxBytes, mapError }) };
  }

  async function close(): Promise<void> {
    const opened = await agents;
    await Promise.all([opened?.guarded.destroy(), opened?.open.destroy()]);
  }

  return { check: (url) => void readUrl(url, isAllowed), fetch, open, close };
}

/** Loads undici on the first request: a gateway that makes no outbound calls never loads it. */
async function createAgents(resolve: NonNullable<OutboundOptions['resolve']>) {
  const { Agent } = await import('undici');
  const create = (isAllowed: boolean) =>
    new Agent({
      allowH2: false,
      autoSelectFamily: true,
      connect: { lookup: checkedLookup(resolve, isAllowed), timeout: CONNECT_TIMEOUT_MS },
      maxHeaderSize: 32_768,
      pipelining: 1,
    }).compose(limitChunks);
  return { guarded: create(false), open: create(true) };
}

type LookupCallback = (error: Error | null, addresses: LookupAddress[]) => void;

/** Checks the addresses the socket will connect to; the name remains the TLS server name. */
function checkedLookup(resolve: NonNullable<OutboundOptions['resolve']>, isAllowed: boolean) {
  return (hostname: string, _options: unknown, callback: LookupCallback): void => {
    resolve(hostname, isAllowed).then(
      (addresses) => {
        if (addresses.length === 0) callback(unresolved(hostname), []);
        else if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
          callback(notPublic(hostname), []);
        else callback(null, addresses);
      },
      () => callback(unresolved(hostname), []),
    );
  };
}

/**
 * Resolves untrusted names with DNS only: not with the hosts file, and not on the thread pool,
 * which slow name servers would exhaust. Names that the operator allowed use the system resolver.
 */
async function resolveName(hostname: string, isAllowed: boolean): Promise<LookupAddress[]> {
  if (isAllowed) return lookup(hostname, { all: true });
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
}

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

function requestOptions(
  url: URL,
  request: OutboundRequest,
  signal: AbortSignal,
  encodings: string,
) {
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
    headersTimeout: request.timeoutMs,
    bodyTimeout: request.timeoutMs,
    signal,
  };
}

type Head = Omit<OutboundResponse, 'body'>;
interface OpenResponse extends Head {
  stream: Readable;
  signal: AbortSignal;
  /**
   * Maps an error to an `OutboundError`; throws the caller's abort reason if the caller aborted.
   */
  mapError(error: unknown): OutboundError;
}

function readHead(url: URL, response: Dispatcher.ResponseData): Head {
  const headers = readHeaders(response.headers);
  const location = headers['location'];
  if (REDIRECTS.has(response.statusCode) && location !== undefined) {
    response.body.on('error', () => {}).destroy();
    throw new OutboundError('redirect_refused', 'The server responded with a redirect.', {
      status: response.statusCode,
      location: URL.parse(location, url.href)?.href ?? location,
    });
  }
  return { status: response.statusCode, headers, url: url.href };
}

const isEmpty = ({ method }: OutboundRequest, { status }: Head) =>
  method?.toUpperCase() === 'HEAD' || status === 204 || status === 304;

function readHeaders(headers: Record<string, string | string[] | undefined>) {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'set-cookie' ? [] : [[name, [value].flat().join(', ')]],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

/**
 * Maps the errors of undici, which wraps the errors of several addresses in one and has its own
 * error codes.
 */
function toOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/TIMEOUT|ETIMEDOUT/.test(code))
    return new OutboundError('timeout', 'The server did not respond in time.');
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
const notPublic = (host: string) =>
  new OutboundError('address_not_public', `${host} does not have a public address.`);
const unresolved = (host: string) =>
  new OutboundError('unreachable', `The name ${host} could not be resolved.`);

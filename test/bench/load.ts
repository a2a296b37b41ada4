import { connect } from 'node:net';
import type { Socket } from 'node:net';

export interface Request {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** JSON by default. */
  contentType?: string;
}

/** Requests to one server; a load of many tenants has one request for each. */
export interface Load {
  port: number;
  requests: readonly Request[];
}

/** Requests of which each is made from the response to the one before. */
export interface Chain {
  next(): Request;
  answered(response: string): void;
}

/** Requests to one server, with a chain for each connection. */
export interface Chains {
  port: number;
  chains: readonly Chain[];
}

/** The server responded 503: it stalled until one of its own deadlines passed. */
export class Unavailable extends Error {}

export interface LoadResult {
  requests: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface LoadOptions {
  connections: number;
  seconds: number;
  /** Part of every response. */
  expecting: string;
  /** How long a connection waits after a response; 0 keeps the server busy all the time. */
  pauseMs?: number;
}

/**
 * Sends requests over `connections` keep-alive connections for `seconds`, one at a time on each;
 * all connections share one round robin of requests, or each has its chain. Uses plain sockets, so that the load takes
 * little of the CPU it shares with the server. Rejects at the first response that is not 200 or
 * does not contain `expecting`.
 */
export async function runLoad(load: Load | Chains, options: LoadOptions): Promise<LoadResult> {
  const sources = sourcesOf(load);
  const latencies: number[] = [];
  const began = performance.now();
  const until = began + options.seconds * 1_000;
  const clients = Array.from({ length: options.connections }, (_, connection) =>
    sendLoad({
      port: load.port,
      source: sources[connection % sources.length]!,
      until,
      ...{ expecting: options.expecting, pauseMs: options.pauseMs ?? 0 },
      latencies,
    }),
  );
  await Promise.all(clients);
  const seconds = (performance.now() - began) / 1_000;
  const sorted = Float64Array.from(latencies).toSorted();
  const percentile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return {
    requests: sorted.length,
    seconds,
    perSecond: sorted.length / seconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}

/** The requests of one connection, and the handling of their responses. */
interface Source {
  next(): Buffer;
  answered(response: string): void;
}

function sourcesOf(load: Load | Chains): Source[] {
  const { port } = load;
  if ('chains' in load)
    return load.chains.map((chain) => ({
      next: () => requestBytes(port, chain.next()),
      answered: (response) => chain.answered(response),
    }));
  const next = cycle(load.requests.map((request) => requestBytes(port, request)));
  return [{ next, answered: () => {} }];
}

/** Returns a function that cycles through the requests. */
function cycle(requests: readonly Buffer[]): () => Buffer {
  let index = 0;
  return () => requests[index++ % requests.length]!;
}

function requestBytes(
  port: number,
  { path, headers, body, contentType = 'application/json' }: Request,
): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: ${contentType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n${body}`,
  );
}

interface ClientOptions {
  port: number;
  source: Source;
  until: number;
  expecting: string;
  pauseMs: number;
  latencies: number[];
}

/** Uses one listener for all responses of a connection, to leave CPU to the server. */
async function sendLoad(options: ClientOptions): Promise<void> {
  const { port, source, until, expecting, pauseMs, latencies } = options;
  const socket = await open(port);
  await new Promise<void>((resolve, reject) => {
    let received = '';
    let began = performance.now();
    const send = () => {
      began = performance.now();
      socket.write(source.next());
    };
    const fail = (why: string) => reject(new Error(`${why}: ${received.slice(0, 600)}`));
    socket.once('error', reject).once('close', () => fail('a peer closed the connection after'));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!isWhole(received)) return;
      const now = performance.now();
      latencies.push(now - began);
      if (received.startsWith('HTTP/1.1 503'))
        return reject(new Unavailable(received.slice(0, 600)));
      if (!received.startsWith('HTTP/1.1 200') || !received.includes(expecting))
        return fail('an unexpected response');
      source.answered(received);
      if (now >= until) return resolve();
      received = '';
      if (pauseMs > 0) setTimeout(send, pauseMs);
      else send();
    });
    send();
  }).finally(() => void socket.destroy());
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay();
    socket.once('error', reject);
  });
}

/** Detects the end by length or by the last chunk: peers use either. */
function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text);
  if (length && length.index < head) return text.length >= head + 4 + Number(length[1]);
  return text.endsWith('0\r\n\r\n');
}

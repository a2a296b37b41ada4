import { connect } from 'node:net';
import type { Socket } from 'node:net';

export interface Load {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers that were not the expected one. */
  errors: number;
}

/**
 * Sends the same request over `connections` kept-alive connections for `seconds`, one at a time on
 * each. Written on sockets, so that the load takes little of the cores it shares with the server.
 * An answer that is not 200, or does not hold `expecting`, is an error; the first ten wrong ones in
 * a row end the bench.
 */
export async function runLoad(
  load: Load,
  options: { connections: number; seconds: number; expecting: string },
): Promise<LoadResult> {
  const request = requestBytes(load);
  const latencies: number[] = [];
  const errors: string[] = [];
  const began = performance.now();
  const until = began + options.seconds * 1_000;
  const clients = Array.from({ length: options.connections }, () =>
    keepAsking({
      port: load.port,
      request,
      until,
      expecting: options.expecting,
      latencies,
      errors,
    }),
  );
  await Promise.all(clients);
  const seconds = (performance.now() - began) / 1_000;
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return {
    requests: sorted.length,
    seconds,
    perSecond: sorted.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    errors: errors.length,
  };
}

function requestBytes({ port, path, headers, body }: Load): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n${body}`,
  );
}

interface Asking {
  port: number;
  request: Buffer;
  until: number;
  expecting: string;
  latencies: number[];
  errors: string[];
}

async function keepAsking(asking: Asking): Promise<void> {
  const { port, request, until, expecting, latencies, errors } = asking;
  const socket = await open(port);
  while (performance.now() < until) {
    const began = performance.now();
    await exchange(socket, request, (text) => {
      if (text.startsWith('HTTP/1.1 200') && text.includes(expecting)) return;
      errors.push(text.slice(0, 600));
      if (errors.length > 10 && errors.length > latencies.length)
        throw new Error(errors.join('\n'));
    });
    latencies.push(performance.now() - began);
  }
  socket.destroy();
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay();
    socket.once('error', reject);
  });
}

function exchange(socket: Socket, request: Buffer, take: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const stop = () => {
      socket.off('data', read).off('error', fail).off('close', closed);
    };
    const fail = (error: Error) => (stop(), reject(error));
    const closed = () =>
      fail(new Error(`a peer closed the connection after ${text.slice(0, 200)}`));
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!isWhole(text)) return;
      stop();
      try {
        take(text);
        resolve();
      } catch (error) {
        reject(error);
      }
    };
    socket.on('data', read).once('error', fail).once('close', closed);
    socket.write(request);
  });
}

/** By length or by the last chunk: peers answer either way. */
function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head));
  if (length) return text.length >= head + 4 + Number(length[1]);
  return text.endsWith('0\r\n\r\n');
}

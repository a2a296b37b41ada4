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

/** One listener for all answers of a connection: what the load spends, the server lacks. */
async function keepAsking(asking: Asking): Promise<void> {
  const { port, request, until, expecting, latencies, errors } = asking;
  const socket = await open(port);
  let answer = '';
  let began = performance.now();

  function take(chunk: Buffer): void {
    answer += chunk.toString('latin1');
    if (!isWhole(answer)) return;
    const now = performance.now();
    latencies.push(now - began);
    if (!answer.startsWith('HTTP/1.1 200') || !answer.includes(expecting)) refuse(answer);
    if (now >= until) return void socket.end();
    answer = '';
    began = now;
    socket.write(request);
  }
  function refuse(text: string): void {
    errors.push(text.slice(0, 600));
    if (errors.length > 10 && errors.length > latencies.length / 2)
      socket.destroy(new Error(errors.join('\n')));
  }

  await new Promise<void>((resolve, reject) => {
    socket.on('data', take).once('error', reject);
    socket.once('close', () => {
      if (performance.now() >= until) return resolve();
      reject(new Error(`a peer closed the connection after ${answer.slice(0, 200)}`));
    });
    socket.write(request);
  });
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay();
    socket.once('error', reject);
  });
}

/** By length or by the last chunk: peers answer either way. */
function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text);
  if (length && length.index < head) return text.length >= head + 4 + Number(length[1]);
  return text.endsWith('0\r\n\r\n');
}

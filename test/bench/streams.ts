import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { selectTools } from '../support/people/people.ts';
import type { SignedUp } from '../support/people/people.ts';
import { initialize, listen, streamOf } from './messages.ts';
import type { Opening } from './messages.ts';
import type { PeerProcess } from './process.ts';
import type { Target } from './targets.ts';
import type { Tenants } from './tenants.ts';

const STREAMS = 2_000;
const ROUNDS = 3;
const AT_ONCE = 8;
const MAX_ATTEMPTS = 20;
const RECEIVED = 'notifications/tools/list_changed';

type Era = '2025' | '2026';

interface Stream {
  connection: ClientRequest;
  /** Time of the last `list_changed` received. */
  receivedAt: number;
  hasEnded: boolean;
}

interface StreamsOn {
  gateway: PeerProcess;
  port: number;
  tenants: Tenants;
}

/**
 * Measures 2,000 streams over 1,000 keys: their memory and, if one account owns all keys, how soon
 * all streams are notified of a changed list.
 */
export async function measureStreams(
  era: Era,
  load: 'owners' | 'shared',
  { gateway, port, tenants }: StreamsOn,
): Promise<Target[]> {
  const before = gateway.residentBytes();
  const { streams, refusals } = await openAll(era, port, tenants[load]);
  const after = gateway.residentBytes();
  const times: number[] = [];
  const rounds = load === 'shared' ? ROUNDS : -1;
  for (let round = 0; round <= rounds; round += 1) {
    const spent = await notifyAll(tenants.sharing, streams, round);
    // The first round is a warm-up.
    if (round > 0) times.push(...spent);
  }
  for (const { connection } of streams) connection.destroy();
  return [
    ...targetsOf(`${era} ${load}`, (after - before) / STREAMS, after, times),
    {
      name: `${STREAMS} streams ${era} ${load}: 503 at opening`,
      value: refusals,
      limit: 0,
      kind: 'at most',
    },
  ];
}

function targetsOf(name: string, bytes: number, resident: number, times: number[]): Target[] {
  const sorted = times.toSorted((one, other) => one - other);
  const atMost = (label: string, value: number, limit: number): Target => ({
    name: `${STREAMS} streams ${name}: ${label}`,
    value,
    limit,
    kind: 'at most',
  });
  const memory = [
    atMost('MiB resident', resident / 2 ** 20, 400),
    // The share of each stream if the gateway itself takes 150 MiB.
    atMost('KiB each', bytes / 1_024, 125),
  ];
  if (sorted.length === 0) return memory;
  return [
    ...memory,
    atMost('ms to tell 99 %', sorted[Math.floor(sorted.length * 0.99)]!, 1_000),
    atMost('ms to the last', sorted.at(-1)!, 2_000),
  ];
}

/** Opens all streams and counts the refused attempts. */
async function openAll(era: Era, port: number, keys: readonly string[]) {
  const opened: { stream: Stream; refusals: number }[] = [];
  const streamKeys = Array.from({ length: STREAMS }, (_, index) => keys[index % keys.length]!);
  for (let start = 0; start < STREAMS; start += AT_ONCE) {
    const opening = streamKeys.slice(start, start + AT_ONCE).map((key) => openOne(era, port, key));
    opened.push(...(await Promise.all(opening)));
  }
  return {
    streams: opened.map(({ stream }) => stream),
    refusals: opened.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}

/** Retries on 503: a cold decision may time out on a busy machine. */
async function openOne(era: Era, port: number, key: string) {
  const opening =
    era === '2026' ? listen(port, key) : streamOf(port, key, await initialize(port, key));
  for (let refusals = 0; refusals < MAX_ATTEMPTS; refusals += 1) {
    const stream = await openStream(opening);
    if (stream !== null) return { stream, refusals };
    await setTimeout(500);
  }
  throw new Error('a stream was refused with 503 too often');
}

/**
 * Resolves at the first bytes (the acknowledgement, or the first event id), or with null on 503.
 */
function openStream({ method, headers, port, body }: Opening): Promise<Stream | null> {
  return new Promise((resolve, reject) => {
    const connection = request({
      port,
      host: '127.0.0.1',
      path: '/mcp',
      method,
      headers,
      agent: false,
    });
    const stream: Stream = { connection, receivedAt: 0, hasEnded: false };
    connection.once('error', reject).once('response', (response) => {
      if (response.statusCode === 503) {
        response.resume();
        return resolve(null);
      }
      if (response.statusCode !== 200) reject(new Error(`a stream: ${response.statusCode}`));
      response
        .once('data', () => resolve(stream))
        .on('data', (chunk: Buffer) => {
          if (chunk.includes(RECEIVED)) stream.receivedAt = performance.now();
        });
      response.once('close', () => {
        stream.hasEnded = true;
        // Closed before its first bytes: the caller opens it again.
        resolve(null);
      });
      // The bench itself destroys the connection.
      response.on('error', () => {});
    });
    connection.end(body);
  });
}

function describeSilence(streams: readonly Stream[], round: number): string {
  const silent = streams.filter(({ receivedAt }) => receivedAt === 0);
  const ended = silent.filter(({ hasEnded }) => hasEnded).length;
  return `${silent.length} streams received nothing for 30 s in round ${round}; ${ended} had ended`;
}

/** Returns, for each stream, the milliseconds from saving the selection to the notification. */
async function notifyAll(
  tenant: SignedUp,
  streams: readonly Stream[],
  round: number,
): Promise<number[]> {
  for (const stream of streams) stream.receivedAt = 0;
  await selectTools(tenant, round % 2 === 0 ? ['noop', 'noop_0001'] : ['noop']);
  const saved = performance.now();
  while (streams.some(({ receivedAt }) => receivedAt === 0)) {
    if (performance.now() - saved > 30_000) throw new Error(describeSilence(streams, round));
    await setTimeout(20);
  }
  return streams.map(({ receivedAt }) => Math.max(0, receivedAt - saved));
}

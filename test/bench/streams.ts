import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { createKey, selectTools } from '../support/people.ts';
import type { SignedUp } from '../support/people.ts';
import { initialize, listen, streamOf } from './messages.ts';
import type { Opening } from './messages.ts';
import type { PeerProcess } from './process.ts';
import type { Target } from './targets.ts';

const STREAMS = 2_000;
const ROUNDS = 3;
const AT_ONCE = 20;
// What a gateway grants one credential (mcp.md 11).
const PER_KEY = { '2025': 5, '2026': 100 };
const HEARD = 'notifications/tools/list_changed';

type Era = keyof typeof PER_KEY;

interface Stream {
  connection: ClientRequest;
  /** When it last heard of a changed list. */
  heardAt: number;
}

/** One tenant's list changes while two thousand streams of it are open. */
export async function measureStreams(
  era: Era,
  gateway: PeerProcess,
  port: number,
  tenant: SignedUp,
): Promise<Target[]> {
  const keys: string[] = [];
  while (keys.length * PER_KEY[era] < STREAMS) keys.push((await createKey(tenant)).secret);
  const before = gateway.residentBytes();
  const streams = await openAll(era, port, keys);
  const after = gateway.residentBytes();
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const spent = await tellAll(tenant, streams, round);
    // The first round compiles what the others run.
    if (round > 0) times.push(...spent);
  }
  for (const { connection } of streams) connection.destroy();
  return targetsOf(era, (after - before) / STREAMS, after, times);
}

function targetsOf(era: Era, bytes: number, resident: number, times: number[]): Target[] {
  const sorted = times.toSorted((one, other) => one - other);
  const atMost = (what: string, value: number, limit: number): Target => ({
    name: `${STREAMS} streams ${era}: ${what}`,
    value,
    limit,
    kind: 'at most',
  });
  return [
    atMost('MiB resident', resident / 2 ** 20, 400),
    // What is left to each when the gateway itself takes 150 MiB.
    atMost('KiB each', bytes / 1_024, 125),
    atMost('ms to tell 99 %', sorted[Math.floor(sorted.length * 0.99)]!, 1_000),
    atMost('ms to the last', sorted.at(-1)!, 2_000),
  ];
}

async function openAll(era: Era, port: number, keys: readonly string[]): Promise<Stream[]> {
  const streams: Stream[] = [];
  for (const key of keys)
    for (let open = 0; open < PER_KEY[era]; open += AT_ONCE) {
      const more = Math.min(AT_ONCE, PER_KEY[era] - open);
      const opening = Array.from({ length: more }, () => openOne(era, port, key));
      streams.push(...(await Promise.all(opening)));
    }
  return streams;
}

async function openOne(era: Era, port: number, key: string): Promise<Stream> {
  if (era === '2026') return openStream(listen(port, key));
  return openStream(streamOf(port, key, await initialize(port, key)));
}

/** Resolves at its first bytes: the acknowledgement, or the first event id. */
function openStream({ method, headers, port, body }: Opening): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const connection = request({
      port,
      host: '127.0.0.1',
      path: '/mcp',
      method,
      headers,
      agent: false,
    });
    const stream: Stream = { connection, heardAt: 0 };
    connection.once('error', reject).once('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`a stream: ${response.statusCode}`));
      response
        .once('data', () => resolve(stream))
        .on('data', (chunk: Buffer) => {
          if (chunk.includes(HEARD)) stream.heardAt = performance.now();
        });
      // The bench ends them itself.
      response.on('error', () => {});
    });
    connection.end(body);
  });
}

/** Milliseconds from the answer that the selection is saved, for each stream. */
async function tellAll(
  tenant: SignedUp,
  streams: readonly Stream[],
  round: number,
): Promise<number[]> {
  for (const stream of streams) stream.heardAt = 0;
  await selectTools(tenant, round % 2 === 0 ? ['noop', 'noop_0001'] : ['noop']);
  const saved = performance.now();
  while (streams.some(({ heardAt }) => heardAt === 0)) {
    if (performance.now() - saved > 30_000) throw new Error('a stream heard nothing for 30 s');
    await setTimeout(20);
  }
  return streams.map(({ heardAt }) => Math.max(0, heardAt - saved));
}

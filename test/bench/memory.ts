// Memory over time: 200,000 calls of 300 owners, as fast as they go and spread over half an hour.
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Request } from './load.ts';
import { runLoad } from './load.ts';
import { legacy, modern } from './messages.ts';
import type { PeerProcess } from './process.ts';
import type { Target } from './targets.ts';
import { openSessions } from './throughput.ts';
import type { Tenants } from './tenants.ts';

const OWNERS = 300;
const CALLS = 200_000;
/** The duration of the slow load; its first third is the warm-up. */
const MINUTES = 30;
const SAMPLE_SECONDS = 30;
const TICK_MS = 100;
const BURST_SECONDS = 3;
const MIB = 2 ** 20;
/** Of a gateway that has warmed up, over twenty minutes. */
const MAX_GROWTH_MIB = 10;

/** A server under load, and how its memory is sampled. */
export interface Sampled {
  name: string;
  peer: PeerProcess;
  port: number;
  /** Whether to collect garbage before each sample, which shows what is held. */
  isCollected: boolean;
  requests: readonly Request[];
}

interface Sample {
  second: number;
  residentMib: number;
  usedMib: number;
}

/** Returns calls in both protocol generations, and a list for every ten of them. */
export async function mixedRequests(port: number, { owners }: Tenants): Promise<Request[]> {
  const keys = owners.slice(0, OWNERS);
  const sessions = await openSessions(port, keys);
  const calls = keys.flatMap((key, index) => [
    modern('tools/call', key),
    legacy('tools/call', sessions[index]),
  ]);
  return calls.flatMap((call, index) => {
    if (index % 10 !== 0) return [call];
    const [key, session] = [keys[Math.floor(index / 2)]!, sessions[Math.floor(index / 2)]!];
    const isModern = index % 20 === 0;
    return [call, isModern ? modern('tools/list', key) : legacy('tools/list', session)];
  });
}

/** Returns calls for the floor, which knows no other requests. */
export const floorRequests = ({ owners }: Tenants): Request[] =>
  owners.slice(0, OWNERS).map((key) => legacy('tools/call', { key }));

/** Sends the calls as fast as they are answered, and prints the memory during and after them. */
export async function printBurst(sampled: Sampled): Promise<void> {
  const samples = [await sampleOf(sampled, 0)];
  const began = performance.now();
  const add = async () =>
    samples.push(await sampleOf(sampled, (performance.now() - began) / 1_000));
  for (let sent = 0; sent < CALLS;) {
    const { requests } = await runLoad(sampled, {
      ...{ connections: 32, seconds: BURST_SECONDS, expecting: '"result"' },
    });
    sent += requests;
    await add();
  }
  for (let minute = 0; minute < 2; minute += 1) {
    await setTimeout(60_000);
    await add();
  }
  printSamples(`${sampled.name}, ${CALLS} calls at once`, samples);
}

/** Sends the calls evenly over half an hour to all servers, and samples their memory meanwhile. */
export async function measureMemory(all: readonly Sampled[]): Promise<Target[]> {
  const series = all.map((sampled) => ({ sampled, samples: [] as Sample[] }));
  const began = performance.now();
  const sampling = (async () => {
    for (let second = 0; second <= MINUTES * 60; second += SAMPLE_SECONDS) {
      await setTimeout(Math.max(0, began + second * 1_000 - performance.now()));
      for (const { sampled, samples } of series) samples.push(await sampleOf(sampled, second));
    }
  })();
  const [, ...refusals] = await Promise.all([
    sampling,
    ...all.map((sampled) => sendEvenly(sampled, began)),
  ]);
  for (const { sampled, samples } of series)
    printSamples(`${sampled.name}, ${CALLS} calls in ${MINUTES} minutes`, samples);
  return series.flatMap(({ sampled, samples }, index) => [
    ...growthTargets(sampled, samples),
    {
      name: `${sampled.name}: requests refused`,
      value: refusals[index]!,
      limit: 0,
      kind: 'at most',
    },
  ]);
}

/**
 * Compares the means of the second and the last ten minutes, since single samples vary. What is in
 * use depends on the last collection, unless there is one before each sample.
 */
function growthTargets({ name, isCollected }: Sampled, samples: readonly Sample[]): Target[] {
  const third = Math.floor(samples.length / 3);
  const growthTarget = (what: string, figure: 'residentMib' | 'usedMib'): Target => {
    const values = samples.map((sample) => sample[figure]);
    return {
      name: `${name}: MiB ${what} more after 10 minutes`,
      value: mean(values.slice(2 * third)) - mean(values.slice(third, 2 * third)),
      ...{ limit: MAX_GROWTH_MIB, kind: 'at most' },
    };
  };
  return [
    growthTarget('resident', 'residentMib'),
    ...(isCollected ? [growthTarget('in use', 'usedMib')] : []),
  ];
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

async function sampleOf({ peer, isCollected }: Sampled, second: number): Promise<Sample> {
  const used = await (isCollected ? peer.heldBytes() : peer.usedBytes());
  return { second, residentMib: peer.residentBytes() / MIB, usedMib: used / MIB };
}

/**
 * Sends what is due at each tick; a slow server gets the same number of calls. Returns how many were
 * refused.
 */
async function sendEvenly({ port, requests }: Sampled, began: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const all = Math.round((CALLS * requests.length) / requests.filter(isCall).length);
  const running = new Set<Promise<unknown>>();
  let refused = 0;
  for (let sent = 0; sent < all;) {
    const due = (all * (performance.now() - began)) / (MINUTES * 60_000);
    for (; sent < Math.min(due, all); sent += 1) {
      const answered = send(agent, port, requests[sent % requests.length]!).then((isAnswered) => {
        if (!isAnswered) refused += 1;
        running.delete(answered);
      });
      running.add(answered);
    }
    await setTimeout(TICK_MS);
  }
  await Promise.all(running);
  agent.destroy();
  return refused;
}

const isCall = ({ body }: Request) => body.includes('tools/call');

/** Returns whether the response has a result. */
function send(agent: Agent, port: number, { path, headers, body }: Request): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      ...{ agent, port, path, host: '127.0.0.1', method: 'POST' },
      headers: { ...headers, 'content-type': 'application/json' },
    });
    sent.once('error', reject).once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
      response.once('end', () => resolve(text.includes('"result"')));
    });
    sent.end(body);
  });
}

function printSamples(title: string, samples: readonly Sample[]): void {
  console.log(`\n${title}\n       s  MiB resident  MiB in use`);
  for (const { second, residentMib, usedMib } of samples)
    console.log(
      second.toFixed(0).padStart(8) +
        residentMib.toFixed(0).padStart(14) +
        usedMib.toFixed(1).padStart(12),
    );
}

import { setTimeout as pause } from 'node:timers/promises';
import { createProxy } from '../servers/proxy.ts';
import type { Proxy } from '../servers/proxy.ts';
import type { Random } from './random.ts';

/** One gateway's connections, each through its own proxy. */
export interface Links {
  postgres: Proxy;
  openfga: Proxy;
  redis: Proxy;
}

const VARIABLES = {
  postgres: 'DATABASE_URL',
  openfga: 'OPENFGA_API_URL',
  redis: 'REDIS_URL',
} as const satisfies Record<keyof Links, string>;

/** Creates the proxies, and the environment for a gateway that connects through them. */
export async function createLinks(env: Readonly<Record<string, string>>) {
  const [postgres, openfga, redis] = await Promise.all(
    Object.values(VARIABLES).map((name) => createProxy(env[name]!)),
  );
  const links: Links = { postgres: postgres!, openfga: openfga!, redis: redis! };
  return {
    links,
    env: Object.fromEntries(
      Object.entries(VARIABLES).map(([link, name]) => [name, links[link as keyof Links].url]),
    ),
    close: () => Promise.all(Object.values(links).map((proxy: Proxy) => proxy.close())),
  };
}

type Fault = readonly [name: string, begin: (links: Links, random: Random) => void];

/** Faults of one gateway's connections; each ends with `pass`. */
const faults: readonly Fault[] = [
  ['PostgreSQL slow', ({ postgres }, random) => postgres.delay(10 + random.below(90))],
  ['PostgreSQL down', ({ postgres }) => postgres.down()],
  ['reply to COMMIT lost', ({ postgres }) => postgres.loseReply('COMMIT\0', 'cut')],
  ['OpenFGA slow', ({ openfga }, random) => openfga.delay(10 + random.below(190))],
  ['OpenFGA down', ({ openfga }) => openfga.down()],
  ['reply to a Write lost', ({ openfga }) => openfga.loseReply('/write', 'cut')],
  ['reply to a check lost', ({ openfga }) => openfga.loseReply('/batch-check', 'cut')],
  ['Redis slow', ({ redis }, random) => redis.delay(10 + random.below(90))],
  ['Redis down', ({ redis }) => redis.down()],
];

/**
 * Injects random faults into random gateways, one after another, until `work` is done. Returns the
 * faults by name.
 */
export async function underFaults(
  gateways: readonly Links[],
  random: Random,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const injected: string[] = [];
  const stop = new AbortController();
  const inject = async () => {
    while (!stop.signal.aborted) {
      await pause(50 + random.below(200));
      const links = random.one(gateways);
      const [name, begin] = random.one(faults);
      begin(links, random);
      injected.push(name);
      await pause(100 + random.below(300));
      for (const proxy of Object.values(links) as Proxy[]) proxy.pass();
    }
  };
  const injection = inject();
  try {
    await work();
  } finally {
    stop.abort();
    await injection;
  }
  return injected;
}

import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, inject, test, vi } from 'vitest';
import type { QuotaOwner } from '../../../src/caller/principal.ts';
import type { Limits } from '../../../src/limits/limits.ts';
import { asRefusal } from '../../../src/platform/errors/outage.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import type { Proxy } from '../../support/servers/proxy.ts';
import { useBench } from './bench.ts';
import type { Bench } from './bench.ts';

const ROUNDS = Number(process.env['LIMITS_RACE_ROUNDS'] ?? 6);
const MONTH = 60;

type Step =
  | { do: 'calls'; count: number }
  | { do: 'lose' | 'lose_flush'; how: 'cut' | 'mute' }
  | { do: 'empty' | 'down' | 'pass' }
  | { do: 'wait'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('calls'), count: fc.nat({ max: 20 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('lose', 'lose_flush'),
      how: fc.constantFrom('cut', 'mute'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('empty', 'down', 'pass') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.nat({ max: 300 }) }) },
);

interface Run {
  bench: Bench;
  owner: QuotaOwner;
  gateways: Limits[];
  redis: Proxy;
  postgres: Proxy;
  /** Number of calls admitted so far. */
  admitted: number;
}

async function beginRun(bench: Bench, count: number): Promise<Run> {
  const redis = await createProxy(inject('redisUrl'));
  const postgres = await createProxy(bench.databaseUrl);
  const gateways = [];
  for (let gateway = 0; gateway < count; gateway += 1)
    gateways.push(await bench.gateway({ redisUrl: redis.url, databaseUrl: postgres.url }));
  return { bench, owner: bench.owner(), gateways, redis, postgres, admitted: 0 };
}

async function runStep(run: Run, next: Step): Promise<void> {
  const { bench, redis, postgres, owner } = run;
  if (next.do === 'calls')
    await Promise.all(Array.from({ length: next.count }, (_, index) => call(run, index)));
  else if (next.do === 'lose') redis.loseReply(owner.id, next.how);
  else if (next.do === 'lose_flush') postgres.loseReply('INSERT INTO usage_ledger', next.how);
  else if (next.do === 'wait') await setTimeout(next.ms);
  else if (next.do === 'down') redis.down();
  else if (next.do === 'pass') redis.pass();
  else {
    const keys = await bench.redis.commands.keys(`${bench.redis.prefix}lim:{account:${owner.id}}*`);
    if (keys.length > 0) await bench.redis.commands.del(keys);
  }
}

/** Sends a call; the only error allowed is a refusal because the month's count is unknown. */
async function call(run: Run, index: number): Promise<void> {
  const limits = run.gateways[index % run.gateways.length]!;
  try {
    const admission = await run.bench.call(limits, run.owner);
    if (admission.admitted) run.admitted += 1;
  } catch (error) {
    expect(asRefusal(error)?.kind).toBe('unavailable');
  }
}

async function finishRun(run: Run): Promise<{ ledger: object; counter: number | null }> {
  run.redis.pass();
  run.postgres.pass();
  for (const limits of run.gateways)
    await vi.waitFor(() => limits.usage(run.owner), { timeout: 15_000, interval: 100 });
  await call(run, 0);
  await Promise.all(run.gateways.map((limits) => limits.stop()));
  const found = {
    ledger: await run.bench.ledger(run.owner),
    counter: await run.bench.counter(run.owner),
  };
  await Promise.all([run.redis.close(), run.postgres.close()]);
  return found;
}

test.for([1, 2])(
  'with %i gateways, each call counts once, regardless of lost replies and lost data (P9, H3)',
  { timeout: 600_000 },
  async (gateways) => {
    const bench = await useBench({ plan: { month: MONTH } });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const run = await beginRun(bench, gateways);
        for (const next of steps) await runStep(run, next);

        const { ledger, counter } = await finishRun(run);

        const count = run.admitted;
        expect({ ledger, counter }).toEqual({
          ledger: { rows: count, total: count },
          counter: count === 0 ? null : count,
        });
        // Without Redis, a gateway does not know the last second's calls of another gateway.
        if (gateways === 1) expect(count).toBeLessThanOrEqual(MONTH);
      }),
      { numRuns: ROUNDS },
    );
  },
);

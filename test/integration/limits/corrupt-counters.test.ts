import { expect, test, vi } from 'vitest';
import type { QuotaOwner } from '../../../src/caller/principal.ts';
import { createCounters } from '../../../src/limits/counters/counters.ts';
import { createBreaker } from '../../../src/platform/concurrency/breaker.ts';
import { newId } from '../../../src/platform/ids.ts';
import { useBench } from './bench.ts';

const CORRUPTIONS = {
  'a key of another type': async ({ commands, key }: Corruption) => {
    await commands.set(key, 'not a hash');
  },
  'text instead of numbers': async ({ commands, key }: Corruption) => {
    const fields = ['minute', 'hour', 'day', 'month'];
    await commands.hset(key, Object.fromEntries(fields.map((field) => [field, 'many'])));
  },
  'invalid window start times': async ({ commands, key }: Corruption) => {
    await commands.hset(key, { minute_at: '1e999', hour_at: '-1', day_at: '', month_at: '0' });
  },
};

test.each(Object.entries(CORRUPTIONS))(
  "%s in one owner's counters: neither its calls nor those of others fail",
  async (_, corrupt) => {
    const { counters, owners, admitAll, scripts, key, bench } = await useOwners();
    await admitAll();
    await corrupt({ commands: bench.redis.commands, key: key(owners[1]!) });
    scripts.mockClear();

    const answers = await admitAll();

    expect(scripts).toHaveBeenCalledTimes(1);
    expect(answers).toMatchObject(
      owners.map(() => ({ verdict: 'decided', admission: { admitted: true } })),
    );
    // The damaged month restarts from its seed.
    expect(await Promise.all(owners.map(bench.counter))).toEqual([7, 6, 7]);
    expect(await counters.readUse(owners[1]!, 'tool_call')).toMatchObject({
      reply: { month: { used: 6 } },
    });
  },
);

test.each(Object.entries(CORRUPTIONS))(
  "%s in one owner's counters: totals and releases of others are not blocked",
  async (_, corrupt) => {
    const { counters, owners, admitAll, key, month, bench, batch } = await useOwners();
    await admitAll();
    await corrupt({ commands: bench.redis.commands, key: key(owners[1]!) });
    const release = (at: number) =>
      counters.release({ quota_owner: owners[at]!, kind: 'tool_call' }, { batch, at: at + 1 });

    const used = await counters.readUse(owners[1]!, 'tool_call');
    const released = [await release(1), await release(2)];
    const raised = await counters.raise(
      owners.map((quota_owner) => ({ quota_owner, month, calls: 20 })),
    );

    for (const answer of [used, ...released, raised]) expect(answer).toHaveProperty('reply');
    const [first, , third] = await Promise.all(owners.map(bench.counter));
    expect([first, third]).toEqual([20, 20]);
  },
);

test('an absurdly large counter causes only its owner’s calls to be refused, and can be lowered', async () => {
  const { counters, owners, admitAll, key, bench, batch } = await useOwners();
  await admitAll();
  await bench.redis.commands.hset(key(owners[1]!), { minute: '1e300', month: '1e17' });

  const answers = await admitAll();
  const released = await counters.release(
    { quota_owner: owners[1]!, kind: 'tool_call' },
    { batch, at: 2 },
  );

  expect(answers.map((answer) => 'admission' in answer && answer.admission.admitted)).toEqual([
    ...[true, false, true],
  ]);
  expect(released).toHaveProperty('reply');
});

interface Corruption {
  commands: Awaited<ReturnType<typeof useBench>>['redis']['commands'];
  key: string;
}

/** Creates three owners whose calls are counted by one run of the script. */
async function useOwners() {
  const bench = await useBench();
  const owners = [bench.owner(), bench.owner(), bench.owner()];
  const month = new Date().toISOString().slice(0, 7);
  let id = newId();
  const first = id;
  const counters = createCounters(bench.redis, breaker, () => id);
  const scripts = vi.spyOn(bench.redis.commands, 'evalsha');
  return {
    ...{ bench, owners, month, counters, scripts },
    batch: `${bench.redis.prefix}lim:batch:${first}`,
    key: (owner: QuotaOwner) => `${bench.redis.prefix}lim:{account:${owner.id}}:calls`,
    async admitAll() {
      const answers = await Promise.all(
        owners.map((quota_owner) =>
          counters.admit(
            { quota_owner, kind: 'tool_call', call_id: newId() },
            { minute: 9, hour: 9, day: 9, month: 99 },
            { month, calls: 5 },
          ),
        ),
      );
      id = newId();
      return answers;
    },
  };
}

const breaker = createBreaker({ now: () => performance.now(), onOpen() {}, onClose() {} });

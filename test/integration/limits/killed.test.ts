import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createRedis } from '../../../src/platform/redis/redis.ts';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { startProcess } from '../processes/gateway-process.ts';
import { ask } from '../mcp/key-holder.ts';

const uuid = { name: 'uuid', arguments: {} };
const CLIENTS = 12;

// Three processes start one after another on a machine that may be busy.
const TIMEOUT_MS = 90_000;

test(
  'after a gateway is killed, at most its last second is missing in the ledger, and no call counts twice (P9 b, rel:F-G1)',
  { timeout: TIMEOUT_MS },
  async () => {
    const world = await useWorld({
      PUBLIC_URL: 'http://localhost:7070',
      PLANS_FILE: new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname,
    });
    const ada = await signUp(world, await world.gateway());
    await selectTools(ada, ['uuid']);
    const { secret } = await createKey(ada);
    const [killed, other] = await Promise.all([startProcess(world.env), startProcess(world.env)]);

    // When each gateway answered its successful calls, and the number of all calls sent.
    const answerTimes = { killed: [] as number[], other: [] as number[] };
    let sent = 0;
    const over = new AbortController();
    const call = async (name: 'killed' | 'other', url: string) => {
      sent += 1;
      const { status, body } = await ask(`${url}/mcp`, { 'x-api-key': secret }, 'tools/call', uuid);
      if (status === 200 && body.result && !body.result.isError)
        answerTimes[name].push(performance.now());
    };
    const client = async (index: number) => {
      while (!over.signal.aborted) {
        const toKilled = index % 2 === 0 && killed.child.signalCode === null;
        await (toKilled ? call('killed', killed.url) : call('other', other.url)).catch(() => {});
        await sleep(5);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
    await expect.poll(() => answerTimes.killed.length, { timeout: 20_000 }).toBeGreaterThan(300);

    const killedAt = performance.now();
    killed.child.kill('SIGKILL');
    await killed.ended;
    const before = answerTimes.other.length;
    await expect
      .poll(() => answerTimes.other.length, { timeout: 20_000 })
      .toBeGreaterThan(before + 100);
    over.abort();
    await clients;
    expect(await other.stop()).toBe(0);

    const [ledger] = await world.query<{ rows: number; ids: number; total: number }>(`
    SELECT count(*)::int AS rows, count(DISTINCT call_id)::int AS ids,
      (SELECT sum(calls)::int FROM usage_month) AS total FROM usage_ledger WHERE counted`);
    const redis = createRedis(
      world.env['REDIS_URL']!,
      world.env['REDIS_PREFIX']!,
      createLog('silent').warn,
    );
    await redis.ready(1_000);
    const key = `${redis.prefix}lim:{account:${ada.account_id}}:calls`;
    const counter = Number(await redis.commands.hget(key, 'month'));
    await redis.close();

    const succeeded = answerTimes.killed.length + answerTimes.other.length;
    const lastSecond = answerTimes.killed.filter((at) => at > killedAt - 1_000).length;
    expect(ledger!.rows).toBe(ledger!.ids);
    expect(ledger!.total).toBe(ledger!.rows);
    expect(counter).toBeGreaterThanOrEqual(succeeded);
    expect(counter).toBeLessThanOrEqual(sent);
    // Each client had one more call in flight when the gateway was killed.
    expect(counter - ledger!.rows).toBeLessThanOrEqual(lastSecond + CLIENTS);
    expect(ledger!.rows).toBeGreaterThanOrEqual(answerTimes.other.length);
  },
);

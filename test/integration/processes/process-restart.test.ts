import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import { startRoundRobin } from '../../support/servers/round-robin.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';
import { connectV2Client } from '../mcp/legacy/client.ts';
import { startProcess } from './gateway-process.ts';

const calculate = { name: 'calculator', arguments: { expression: '1+1' } };

test('two gateways restart one after the other without a failed request (rel:F-G2, S15)', async () => {
  const world = await useWorld({
    PUBLIC_URL: 'http://localhost:7070',
    LOG_LEVEL: 'warn',
    PLANS_FILE: new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname,
  });
  const env = { ...world.env, LOG_LEVEL: 'silent' };
  const ada = await signUp(world, await world.gateway({ env }));
  await selectTools(ada, ['calculator']);
  const { secret } = await createKey(ada);
  const gateways = await Promise.all([startProcess(world.env), startProcess(world.env)]);
  const targets = gateways.map(({ url }) => url);
  const balancer = await startRoundRobin({ targets, rewritesHost: true });
  const endpoint = `${balancer.url}/mcp`;
  const legacy = await connectV2Client(endpoint, secret);

  const over = new AbortController();
  let answered = 0;
  const failures: unknown[] = [];
  const client = async (once: () => Promise<unknown>) => {
    while (!over.signal.aborted) {
      const failure = await once().catch((error: unknown) => error);
      answered += 1;
      if (failure !== undefined) failures.push(failure);
      // Leaves CPU time to the gateways that are starting.
      await sleep(5);
    }
  };
  const modernCall = async () => {
    const { status, body } = await ask(endpoint, { 'x-api-key': secret }, 'tools/call', calculate);
    return status === 200 && body.result?.structuredContent['result'] === 2 ? undefined : body;
  };
  const legacyCall = async () => {
    const { isError } = await legacy.callTool(calculate);
    return isError === true ? 'a tool error' : undefined;
  };
  const restCall = async () => {
    const profile = `${balancer.url}/api/user/profile`;
    const { status } = await fetch(profile, { headers: ada.bearer });
    return status === 200 ? undefined : status;
  };
  const running = Promise.all([restCall, legacyCall, modernCall].map(client));

  await expect.poll(() => answered, { timeout: 10_000 }).toBeGreaterThan(5);
  const counts: number[] = [];
  for (const [index, old] of gateways.entries()) {
    // A load balancer stops sending new requests to a gateway before the gateway stops.
    targets.splice(targets.indexOf(old.url), 1);
    expect(await old.stop()).toBe(0);
    const next = await startProcess(world.env, old.port);
    targets.push(next.url);
    gateways[index] = next;
    counts.push(answered);
  }
  over.abort();
  await running;
  await legacy.close();
  await balancer.close();

  expect(failures).toEqual([]);
  expect(counts[1]! - counts[0]!, 'calls went on all the time').toBeGreaterThan(10);
}, 90_000);

import { expect, test } from 'vitest';
import { createFormLimits } from '../../../src/limits/forms/forms.ts';
import { defaultPlans } from '../../../src/platform/config/plans.ts';
import { admittedOf, times, useBench } from './bench.ts';
import { useRedisCluster } from './own-redis.ts';

test('two gateways on a three-node cluster admit calls exactly up to the limit in every slot', async () => {
  const cluster = await useRedisCluster();
  const bench = await useBench({ redisUrl: cluster.url, plan: { month: 7 } });
  const gateways = [await bench.gateway(), await bench.gateway()];
  // With 48 owners, the chance that a node has none of them is 1 in 100 million: 3 × (2/3)^48.
  const owners = Array.from({ length: 48 }, bench.owner);
  let turn = 0;

  const admitted = [];
  for (const owner of owners) {
    const answers = await times(20, () => bench.call(gateways[turn++ % 2]!, owner));
    admitted.push(admittedOf(answers));
  }

  expect(admitted).toEqual(owners.map(() => 7));
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  expect(await Promise.all(owners.map(bench.counter))).toEqual(owners.map(() => 7));
  const keys = await Promise.all(cluster.nodes.map((node) => node.dbsize()));
  expect(keys.every((count) => count > 0)).toBe(true);
});

test('form limits work on a cluster too', async () => {
  const cluster = await useRedisCluster();
  const bench = await useBench({ redisUrl: cluster.url });
  const forms = createFormLimits({ redis: bench.redis, addresses: defaultPlans.addresses });

  const results = await Promise.allSettled(
    Array.from({ length: 30 }, () => forms.take('register', { address: '192.0.2.1' })),
  );

  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(20);
});

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLinks } from '../../support/histories/nemesis.ts';
import { oneAddress, signUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { clientOf } from './job-client.ts';

let world: World;
let faults: Awaited<ReturnType<typeof createLinks>>;
let gateway: Gateway;
let reads = 0;
beforeAll(async () => {
  world = await createWorld(oneAddress);
  faults = await createLinks(world.env);
  faults.links.postgres.watch((chunk) => {
    if (chunk.includes('result FROM job WHERE id')) reads += 1;
  });
  gateway = await world.gateway({ env: faults.env });
});
afterAll(async () => {
  await world?.close();
  await faults?.close();
});

/** Inserts a job that runs on no gateway of this test, and stays as it is. */
async function runningJob(account_id: string): Promise<string> {
  const id = randomUUID();
  await world.query(
    `INSERT INTO job (id, owner, credential_id, account_id, operation_id, heartbeat_at)
     VALUES ($1, 'account ' || $2, $3, $2::uuid, 'importSpace', now() + interval '1 hour')`,
    [id, account_id, randomUUID()],
  );
  return id;
}

/** Returns how often a job is read in the time of three reads of a stream. */
async function readsNow(): Promise<number> {
  reads = 0;
  await setTimeout(1_600);
  return reads;
}

test('a stream whose client has closed it no longer reads its job', async () => {
  const ada = await signUp(world, gateway);
  const stream = await clientOf(gateway, ada).watch(await runningJob(ada.account_id));
  expect((await stream.next())!.event).toBe('progress');
  await expect.poll(readsNow, { timeout: 20_000 }).toBeGreaterThan(0);

  await stream.close();

  await expect.poll(readsNow, { timeout: 20_000 }).toBe(0);
}, 60_000);

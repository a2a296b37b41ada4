import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createOrganization } from '../../support/people/organizations.ts';
import { signUp, oneAddress } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';
import { readDecisions } from './reading.ts';

const month = (ago: number) =>
  `(date_trunc('month', now() AT TIME ZONE 'UTC')::date - interval '${ago} months')::date`;

/** Adds a decision some months ago, in a partition of its own if `named`. */
async function addOld({ query }: World, ago: number, named = true) {
  if (named)
    await query(`DO $$ BEGIN EXECUTE format(
      'CREATE TABLE %I PARTITION OF access_decision FOR VALUES FROM (%L) TO (%L)',
      'access_decision_' || to_char(${month(ago)}, 'YYYY_MM'), ${month(ago)}, ${month(ago - 1)});
    END $$`);
  await query(
    `INSERT INTO access_decision (id, month, at, organization_id, request_id, subject_kind,
       subject_id, action, outcome, model_id, sampled)
     VALUES (gen_random_uuid(), ${month(ago)}, ${month(ago)}, gen_random_uuid(),
       gen_random_uuid(), 'key', gen_random_uuid(), 'can_see', 'allowed', 'model', $1)`,
    [Math.abs(ago)],
  );
}
const months = async ({ query }: World) =>
  (
    await query<{ sampled: number }>(
      "SELECT sampled FROM access_decision WHERE model_id = 'model' ORDER BY sampled",
    )
  ).map(({ sampled }) => sampled);

test('decisions are deleted after thirteen months, with their partitions', async () => {
  const world = await useWorld();
  for (const ago of [14, 13]) await addOld(world, ago);
  for (const ago of [20, 5]) await addOld(world, ago, false);

  await world.gateway();

  await vi.waitFor(async () => expect(await months(world)).toEqual([5, 13]));
  expect(
    await world.query(
      `SELECT to_regclass('access_decision_' || to_char(${month(14)}, 'YYYY_MM')) AS gone`,
    ),
  ).toEqual([{ gone: null }]);
});

test('decisions are kept for as many months as configured', async () => {
  const world = await useWorld({ DECISIONS_RETENTION_MONTHS: '4' });
  for (const ago of [5, 4]) await addOld(world, ago);

  await world.gateway();

  await vi.waitFor(async () => expect(await months(world)).toEqual([4]));
});

test('the partitions of two more months are created, and a row without one is still stored', async () => {
  const world = await useWorld();
  const partitions = () =>
    world.query(
      `SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'access_decision'::regclass`,
    );
  expect(await partitions()).toEqual([{ count: 5 }]);
  await addOld(world, -6, false);
  await world.query('SELECT access_decision_prepare(7)');

  expect(await partitions()).toEqual([{ count: 9 }]);
  expect(await months(world)).toEqual([6]);
});

test('a sample of the allowed decisions is recorded, with the number that each stands for', async () => {
  const world = await useWorld({ ...oneAddress, DECISIONS_SAMPLING: '4' });
  const gateway = await world.gateway();
  const owner = await signUp(world, gateway, 'owner');
  const { id } = await createOrganization(owner);
  const REQUESTS = 400;
  for (let sent = 0; sent < REQUESTS; sent += 20)
    await Promise.all(Array.from({ length: 20 }, () => readDecisions(owner, id, '?limit=1')));
  await setTimeout(2_500);

  const { data } = await readDecisions(owner, id, '?limit=200');
  expect(new Set(data.map(({ sampled }) => sampled))).toEqual(new Set([4]));
  const estimated = data.reduce((sum, { sampled }) => sum + sampled, 0);
  expect(estimated).toBeGreaterThan(REQUESTS / 2);
  expect(estimated).toBeLessThan(REQUESTS * 1.5);
});

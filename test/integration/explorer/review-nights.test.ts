import { afterAll, expect, test } from 'vitest';
import { connect, disconnect } from '../../../src/connections.ts';
import { createParts } from '../../../src/parts.ts';
import type { Review } from '../../../src/explorer/reviews/schema.ts';
import { askAs } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createAcme, read } from './acme.ts';
import { entriesOf } from './review-client.ts';

const teams = await useTeams();
const { base, id, owner, ada } = await createAcme(teams);

/** Creates the part of a gateway that takes nightly reviews. */
async function createNights() {
  const connections = await connect(teams.gateway.config);
  const { authz, explorer, workers } = createParts(teams.gateway.config, connections, {});
  await authz.requireStore();
  return {
    takeDue: explorer.nightly.takeDue,
    async close() {
      await workers.close();
      await disconnect(connections);
    },
  };
}
const gateways = [await createNights(), await createNights()];
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
});

const takeDue = () => Promise.all(gateways.map((gateway) => gateway.takeDue()));
const reviews = async () => (await read<{ data: Review[] }>(owner, `${base}/access/reviews`)).data;
const switchTo = (settings: { nightly: boolean; keep: number }) =>
  askAs(ada, { method: 'PUT', path: `${base}/access/review-settings`, body: settings });
/** Lets so many days pass. */
const age = (days: number) =>
  teams.world.query('UPDATE access_review SET night = night - $2::int WHERE organization_id = $1', [
    id,
    days,
  ]);
const today = () => new Date().toISOString().slice(0, 10);

test('nightly reviews are off at first, and two gateways together take one a day', async () => {
  expect(await read(ada, `${base}/access/review-settings`)).toEqual({ nightly: false, keep: 30 });
  await takeDue();
  expect(await reviews()).toEqual([]);

  await switchTo({ nightly: true, keep: 2 });
  await takeDue();
  await takeDue();

  const taken = await reviews();
  expect(taken).toMatchObject([
    { name: today(), status: 'open', created_by: { kind: 'system', id: null, email: null } },
  ]);
  expect(await entriesOf(ada, base, taken[0]!.id)).toHaveLength(taken[0]!.counts.entries);
  const { data } = await read<{ data: { action: string }[] }>(
    owner,
    `${base}/audit?action=access_review`,
  );
  expect(data.map(({ action }) => action)).toEqual([
    'access_review.create',
    'access_review_settings.update',
  ]);
});

test('the newest nightly reviews without decisions are kept', async () => {
  const [decided] = await reviews();
  const [entry] = await entriesOf(ada, base, decided!.id);
  const path = `${base}/access/reviews/${decided!.id}/entries/${entry!.id}`;
  await askAs(ada, { method: 'PATCH', path, body: { decision: 'keep' } });
  await switchTo({ nightly: true, keep: 1 });
  await age(1);
  await takeDue();
  const [old] = await reviews();
  await age(1);
  await takeDue();

  const left = (await reviews()).map((one) => one.id);

  expect(left).toHaveLength(2);
  expect(left).toContain(decided!.id);
  expect(left).not.toContain(old!.id);
});

test('a review whose gateway died is deleted and taken again', async () => {
  await age(1);
  const [abandoned] = await teams.world.query<{ id: string }>(
    `INSERT INTO access_review (id, organization_id, name, night, created_by_kind, abandoned_at)
     VALUES (gen_random_uuid(), $1, 'x', (now() AT TIME ZONE 'UTC')::date, 'system', now())
     RETURNING id`,
    [id],
  );

  await takeDue();

  const found = await reviews();
  expect(found.map((one) => one.id)).not.toContain(abandoned!.id);
  expect(found[0]).toMatchObject({ name: today(), status: 'open' });
});

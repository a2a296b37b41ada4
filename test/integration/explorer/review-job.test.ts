import { expect, test } from 'vitest';
import type { Review } from '../../../src/explorer/reviews/schema.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { clientOf } from '../jobs/job-client.ts';
import { createAcme, read } from './acme.ts';
import { entriesOf } from './review-client.ts';

const teams = await useTeams();
const { base, owner, ada } = await createAcme(teams);
const client = clientOf(teams.gateway, ada);
const path = `${base}/access/reviews`;

/** Makes storing a review take some time. */
const slowParts = (seconds: number) =>
  teams.world.query(`
    CREATE OR REPLACE FUNCTION slow_part() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END';
    CREATE OR REPLACE TRIGGER slow_part AFTER INSERT ON access_review_part
      FOR EACH STATEMENT EXECUTE FUNCTION slow_part()`);

test('a review that runs as a job counts its subjects, and ends with the review', async () => {
  const { body } = await client.begin({ name: 'Job' }, path);

  const job = await client.ended(body.id);

  expect(job).toMatchObject({ state: 'succeeded', status: 201, saved: 1 });
  const taken = job.result as Review;
  expect([job.done, job.total]).toEqual([taken.counts.entries, taken.counts.entries]);
  expect(await read(ada, `${path}/${taken.id}`)).toEqual(taken);
  expect(await entriesOf(ada, base, taken.id)).toHaveLength(taken.counts.entries);
});

test('a review that runs is listed without entries, and a cancelled one leaves nothing', async () => {
  await slowParts(1.5);
  const { body } = await client.begin({ name: 'Cancelled' }, path);
  await expect
    .poll(async () => (await client.jobAt(body.id)).done, { timeout: 30_000, interval: 50 })
    .toBeGreaterThan(0);
  const { data } = await read<{ data: Review[] }>(owner, path);
  const running = data.find(({ name }) => name === 'Cancelled')!;
  const entries = await entriesOf(owner, base, running.id);

  const cancelled = await client.cancel(body.id);

  expect([running.status, running.model_id, entries]).toEqual(['running', null, []]);
  expect(cancelled.body).toMatchObject({ state: 'cancelled', saved: 0, result: null });
  const left = () =>
    teams.world.query(
      `SELECT id FROM access_review WHERE id = $1
       UNION ALL SELECT review_id FROM access_review_part WHERE review_id = $1
       UNION ALL SELECT id FROM access_review_entry WHERE review_id = $1`,
      [running.id],
    );
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  const created = await read<{ data: object[] }>(
    owner,
    `${base}/audit?action=access_review.create`,
  );
  expect(created.data).toHaveLength(1);
});

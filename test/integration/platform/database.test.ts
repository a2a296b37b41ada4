import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createDatabase, sql } from '../../../src/platform/postgres/database.ts';
import { isOutage } from '../../../src/platform/errors/outage.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const proxy = await closeAfterTests(createProxy(inject('postgresUrl')));
const database = await closeAfterTests(createDatabase({ url: proxy.url, onIdleError: () => {} }));

const Numbered = z.object({ number: z.number() });
const selectOne = () => database.pool.one(sql.type(Numbered)`SELECT 1 AS number`);
const outageOf = async (work: Promise<unknown>) =>
  isOutage(
    await work.then(
      () => null,
      (error: unknown) => error,
    ),
  );

test('a row that does not match its statement’s type fails the statement', async () => {
  const wrong = database.pool.any(sql.type(Numbered)`SELECT 'one' AS number`);
  await expect(wrong).rejects.toThrow(/do not conform/);

  const absent = database.pool.maybeOne(sql.type(Numbered)`SELECT 1 AS another`);
  await expect(absent).rejects.toThrow(/do not conform/);

  const unread = database.pool.query(sql.typeAlias('void')`SELECT 1 AS number`);
  await expect(unread).rejects.toThrow(/do not conform/);
});

test('a prepared statement of the hot path always uses a generic plan', async () => {
  const url = inject('postgresUrl');
  const { authPool, close } = await createDatabase({
    url,
    hotPoolSize: 1,
    onIdleError: () => {},
  });
  onTestFinished(close);
  const prepared = { name: 'probe', text: 'SELECT oid FROM pg_class WHERE oid = ANY($1::oid[])' };
  for (let time = 1; time <= 7; time += 1) await authPool.query({ ...prepared, values: [[time]] });

  const { rows } = await authPool.query(
    `SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'probe'`,
  );

  expect(rows).toEqual([{ generic_plans: 7, custom_plans: 0 }]);
});

describe('a transaction', () => {
  const runFailing = (state: string, times: number) => {
    let attempts = 0;
    const run = database.transaction(async (transaction) => {
      attempts += 1;
      await transaction.query(sql.unsafe`
        CREATE OR REPLACE FUNCTION pg_temp.fail(state text) RETURNS void LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = state; END $$`);
      if (attempts <= times) await transaction.query(sql.unsafe`SELECT pg_temp.fail(${state})`);
      return attempts;
    });
    return { run, attempts: () => attempts };
  };

  test.each(['40001', '40P01'])('is retried if it ends in %s', async (state) => {
    expect(await runFailing(state, 2).run).toBe(3);
  });

  test.each(['40001', '40P01'])('is tried three times if it always ends in %s', async (state) => {
    const { run, attempts } = runFailing(state, 9);

    expect(await outageOf(run)).toBe(true);
    expect(attempts()).toBe(3);
  });

  test.each(['23505', '22P02'])('is not retried if it ends in %s', async (state) => {
    const { run, attempts } = runFailing(state, 9);

    await expect(run).rejects.toThrow();
    expect(attempts()).toBe(1);
  });
});

test('an endless statement is cancelled and counts as an outage', async () => {
  const endless = sql.unsafe`SELECT pg_sleep(60)`;

  expect(await outageOf(database.pool.query(endless))).toBe(true);
  expect(await outageOf(database.authPool.query('SELECT pg_sleep(60)'))).toBe(true);
  expect(await selectOne()).toEqual({ number: 1 });
});

test('a hanging server counts as an outage, and is used again once it responds', async () => {
  await selectOne();
  proxy.stall();
  const queries = [
    selectOne(),
    database.authPool.query('SELECT 1'),
    database.transaction(selectOne),
  ];

  const outages = await Promise.all(queries.map(outageOf));
  proxy.pass();

  expect(outages).toEqual([true, true, true]);
  // The pools no longer contain any connection that hung.
  for (let again = 0; again < 20; again += 1) await selectOne();
  await database.authPool.query('SELECT 1');
});

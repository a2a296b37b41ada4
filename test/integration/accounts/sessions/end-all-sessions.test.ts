import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { endAllSessions } from '../../../../src/accounts/sessions/end-sessions.ts';
import { createDatabase } from '../../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../../support/servers/deployment.ts';
import { countStatements } from '../../../support/worlds/counted-statements.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const { databaseUrl } = await createDeployment();
const database = await closeAfterTests(createDatabase({ url: databaseUrl, onIdleError: () => {} }));

/** Creates accounts with a session each. */
async function createAccounts(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await database.authPool.query('INSERT INTO account (id) SELECT unnest($1::uuid[])', [ids]);
  await database.authPool.query(
    `INSERT INTO account_session (id, account_id, amr, expires_at)
     SELECT gen_random_uuid(), unnest($1::uuid[]), '{pwd}', now() + interval '1 day'`,
    [ids],
  );
  return ids;
}

async function countLive(ids: readonly string[]): Promise<number> {
  const { rows } = await database.authPool.query<{ live: number }>(
    `SELECT count(*)::int AS live FROM account_session
     WHERE account_id = ANY($1) AND revoked_at IS NULL`,
    [ids],
  );
  return rows[0]!.live;
}

/** Ends the sessions of these accounts, and returns how many statements that took. */
const statementsOf = (ids: readonly string[]) =>
  countStatements(database, (transaction) => endAllSessions(transaction, ids));

test('ending the sessions of 1,000 accounts takes as many statements as those of two', async () => {
  const [few, many] = [await createAccounts(2), await createAccounts(1_000)];
  const others = await createAccounts(2);

  expect(await statementsOf(many)).toBe(await statementsOf(few));

  expect([await countLive(few), await countLive(many), await countLive(others)]).toEqual([0, 0, 2]);
});

test('transactions that end the sessions of the same accounts in another order do not deadlock', async () => {
  const ids = await createAccounts(200);
  const orders = [ids, ids.toReversed(), ids.toSorted(), ids.toSorted().toReversed()];

  await Promise.all(
    orders.map((order) =>
      database.transaction((transaction) => endAllSessions(transaction, order)),
    ),
  );

  expect(await countLive(ids)).toBe(0);
});

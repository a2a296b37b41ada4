import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepSessions } from '../../../src/accounts/sessions/store.ts';
import { sweepAccounts } from '../../../src/accounts/store.ts';
import { createAudit } from '../../../src/audit/audit.ts';
import { sweepMail } from '../../../src/mail/store.ts';
import { createDatabase } from '../../../src/platform/database.ts';
import type { Connection, Database } from '../../../src/platform/database.ts';
import { createDeployment } from '../../support/deployment.ts';

let database: Database;
beforeAll(async () => {
  const { databaseUrl } = await createDeployment();
  database = await createDatabase({ url: databaseUrl, onIdleError: () => {} });
});
afterAll(() => database.close());

const run = (statement: string) => database.hot.query(statement);
const count = async (table: string) =>
  Number((await run(`SELECT count(*) FROM ${table}`)).rows[0].count);

const account = '0190aaaa-0000-7000-8000-0000000000aa';
const session = '0190aaaa-0000-7000-8000-0000000000bb';
const sweepAudit = createAudit().sweep;

/** 2 500 rows that are over and one that is not quite: of each table what inserts `n` of them. */
const tables: [string, (c: Connection) => Promise<void>, (n: number, age: string) => string][] = [
  [
    'used_once',
    sweepAccounts,
    (n, age) => `INSERT INTO used_once
      SELECT 'x', uuid_send(gen_random_uuid()), now() - interval '1 hour' - interval '${age}'
      FROM generate_series(1, ${n})`,
  ],
  [
    'registration_link',
    sweepAccounts,
    (n, age) => `INSERT INTO registration_link
      SELECT uuid_send(gen_random_uuid()), 'a@b.c', NULL, NULL,
        now() - interval '1 day' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'registration',
    sweepAccounts,
    (n, age) => `INSERT INTO registration
      SELECT gen_random_uuid(), 'a@b.c', NULL, NULL, 'en', 'x',
        now() - interval '90 days' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'account_session',
    sweepSessions,
    (n, age) => `INSERT INTO account_session (id, account_id, refresh_hash, amr, expires_at)
      SELECT gen_random_uuid(), '${account}', 'x', '{}',
        now() - interval '1 day' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'mail_job',
    sweepMail,
    (n, age) => `INSERT INTO mail_job (id, kind, address, give_up_at, outcome, finished_at)
      SELECT gen_random_uuid(), 'x', 'a@b.c', now(), 'sent',
        now() - interval '7 days' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'mail_cooldown',
    sweepMail,
    (n, age) => `INSERT INTO mail_cooldown
      SELECT gen_random_uuid(), 'x', now() - interval '1 day' - interval '${age}'
      FROM generate_series(1, ${n})`,
  ],
  [
    'mail_suppression',
    sweepMail,
    (n, age) => `INSERT INTO mail_suppression
      SELECT gen_random_uuid(), now() - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'audit_event',
    sweepAudit,
    (n, age) => `INSERT INTO audit_event (id, actor_kind, action, at)
      SELECT gen_random_uuid(), 'user', 'session.refuse',
        now() - interval '90 days' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
];

test.each(tables)(
  '%s is swept of what is over, a thousand rows at a time',
  async (table, sweep, add) => {
    await run(
      `INSERT INTO account (id, email) VALUES ('${account}', 'a@b.c') ON CONFLICT DO NOTHING`,
    );
    await run(add(2_500, '1 minute'));
    await run(add(1, '-10 minutes'));

    const removed = await removedBy(sweep, table);

    expect(await count(table)).toBe(1);
    expect(removed).toEqual([1_000, 1_000, 500]);
  },
);

test('a chain of thousands of tokens goes before its session, never with it', async () => {
  await run(`INSERT INTO account_session (id, account_id, refresh_hash, amr, expires_at)
    VALUES ('${session}', '${account}', 'x', '{}', now() - interval '2 days')`);
  await run(`INSERT INTO account_session_ancestor
    SELECT '${session}', uuid_send(gen_random_uuid()) FROM generate_series(1, 1500)`);

  const removed = await removedBy(sweepSessions, 'account_session_ancestor');

  expect(removed).toEqual([1_000, 500]);
  expect(await count(`account_session WHERE id = '${session}'`)).toBe(0);
});

test('of the audit nothing else ends, however old', async () => {
  await run(`INSERT INTO audit_event (id, actor_kind, action, scope_kind, scope_id, at) VALUES
    (gen_random_uuid(), 'user', 'session.refuse', 'account', '${account}', now() - interval '1 year'),
    (gen_random_uuid(), 'system', 'other', NULL, NULL, now() - interval '1 year')`);

  await sweepAudit(database.pool);

  expect(await count(`audit_event WHERE at < now() - interval '300 days'`)).toBe(2);
  await expect(run(`DELETE FROM audit_event WHERE action = 'other'`)).rejects.toThrow(
    'append-only',
  );
});

/** The rows that each statement took from the table. */
async function removedBy(sweep: (connection: Connection) => Promise<void>, table: string) {
  const removed: number[] = [];
  const query: Connection['query'] = async (statement) => {
    const result = await database.pool.query(statement);
    if (statement.sql.includes(`DELETE FROM ${table} `)) removed.push(result.rowCount);
    return result;
  };
  await sweep({ ...database.pool, query });
  return removed;
}

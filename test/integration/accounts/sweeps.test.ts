import { expect, test } from 'vitest';
import { sweepUsedOnce } from '../../../src/platform/postgres/used-once.ts';
import { sweepPasskeyChallenges } from '../../../src/accounts/passkeys/store.ts';
import { sweepResetLinks } from '../../../src/accounts/passwords/store.ts';
import { sweepEmailChanges } from '../../../src/accounts/email-change/store.ts';
import { sweepFlows } from '../../../src/accounts/providers/store.ts';
import { sweepRegistrations } from '../../../src/accounts/registration/store.ts';
import { sweepPendingSignIns } from '../../../src/accounts/second-factor/store.ts';
import { sweepSessions } from '../../../src/accounts/sessions/store.ts';
import { sweepAll } from '../../../src/accounts/sweeper.ts';
import { sweepTotp } from '../../../src/accounts/totp/store.ts';
import { sweepEvents } from '../../../src/audit/store.ts';
import { sweepMail } from '../../../src/mail/store.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { Queryable } from '../../../src/platform/postgres/database.ts';
import { sweepInvitations } from '../../../src/organizations/invitations/store.ts';
import { sweepSso } from '../../../src/sso/sso.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const { databaseUrl } = await createDeployment();
const database = await closeAfterTests(createDatabase({ url: databaseUrl, onIdleError: () => {} }));

const run = (statement: string) => database.authPool.query(statement);
const count = async (table: string) =>
  Number((await run(`SELECT count(*) FROM ${table}`)).rows[0]?.['count']);

const account = '0190aaaa-0000-7000-8000-0000000000aa';

/** Begins a statement with a new `connection` of single sign-on. */
const newConnection = `WITH made AS (INSERT INTO organization (id, name)
    VALUES (gen_random_uuid(), 'Acme') RETURNING id),
  connection AS (INSERT INTO sso_connection (id, organization_id, name, protocol, configuration,
      attributes, role_ids, seats, may_link)
    SELECT gen_random_uuid(), made.id, 'ID', 'saml', '{}', '{}', '{}', '[]', false FROM made
    RETURNING id)`;

/** Every table with its sweep and the SQL that inserts `n` rows whose retention ended `age` ago. */
const tables: [string, (c: Queryable) => Promise<void>, (n: number, age: string) => string][] = [
  [
    'used_once',
    sweepUsedOnce,
    (n, age) => `INSERT INTO used_once
      SELECT 'x', uuid_send(gen_random_uuid()), now() - interval '1 hour' - interval '${age}'
      FROM generate_series(1, ${n})`,
  ],
  [
    'password_reset',
    sweepResetLinks,
    (n, age) => `INSERT INTO password_reset
      SELECT gen_random_uuid()::text, uuid_send(gen_random_uuid()),
        now() - interval '1 day' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'registration_link',
    sweepRegistrations,
    (n, age) => `INSERT INTO registration_link
      SELECT uuid_send(gen_random_uuid()), 'a@b.c', NULL, NULL,
        now() - interval '1 day' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'registration',
    sweepRegistrations,
    (n, age) => `INSERT INTO registration
      SELECT gen_random_uuid(), 'a@b.c', NULL, NULL, 'en', 'x',
        now() - interval '90 days' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'sign_in_flow',
    sweepFlows,
    (n, age) => `INSERT INTO sign_in_flow
      SELECT uuid_send(gen_random_uuid()), 'oidc', 'x', 'x', 'x', '/', NULL,
        now() - interval '1 hour' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'account_session',
    sweepSessions,
    (n, age) => `INSERT INTO account_session (id, account_id, amr, expires_at)
      SELECT gen_random_uuid(), '${account}', '{}',
        now() - interval '1 day' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'email_change',
    sweepEmailChanges,
    (n, age) => `INSERT INTO email_change (id, account_id, session_id, email, expires_at)
      SELECT gen_random_uuid(), '${account}', gen_random_uuid(), 'd@e.f',
        now() - interval '1 day' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'email_reservation',
    sweepEmailChanges,
    (n, age) => `INSERT INTO email_reservation (email, account_id, expires_at)
      SELECT gen_random_uuid(), '${account}',
        now() - interval '1 day' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'sign_in_challenge',
    sweepPendingSignIns,
    (n, age) => `INSERT INTO sign_in_challenge (token_hash, account_id, amr, expires_at)
      SELECT uuid_send(gen_random_uuid()), '${account}', '{pwd}',
        now() - interval '1 hour' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'passkey_challenge',
    sweepPasskeyChallenges,
    (n, age) => `INSERT INTO passkey_challenge (flow_hash, challenge, expires_at)
      SELECT uuid_send(gen_random_uuid()), 'x',
        now() - interval '1 hour' - interval '${age}' FROM generate_series(1, ${n})`,
  ],
  [
    'organization_invitation',
    sweepInvitations,
    (n, age) => `WITH made AS (INSERT INTO organization (id, name)
        VALUES (gen_random_uuid(), 'Acme') RETURNING id)
      INSERT INTO organization_invitation (id, organization_id, email, email_id, expires_at)
      SELECT gen_random_uuid(), made.id, gen_random_uuid()::text, gen_random_uuid(),
        now() - interval '30 days' - interval '${age}' FROM made, generate_series(1, ${n})`,
  ],
  [
    'sso_flow',
    sweepSso,
    (n, age) => `${newConnection}
      INSERT INTO sso_flow (id_hash, connection_id, state_hash, nonce, verifier, request_id,
        return_path, expires_at)
      SELECT uuid_send(gen_random_uuid()), connection.id, uuid_send(gen_random_uuid()), 'x', 'x',
        'x', '/', now() - interval '1 hour' - interval '${age}'
      FROM connection, generate_series(1, ${n})`,
  ],
  [
    'sso_test_link',
    sweepSso,
    (n, age) => `${newConnection}
      INSERT INTO sso_test_link (token_hash, connection_id, account_id, return_path, expires_at)
      SELECT uuid_send(gen_random_uuid()), connection.id, '${account}', '/',
        now() - interval '1 hour' - interval '${age}'
      FROM connection, generate_series(1, ${n})`,
  ],
  [
    'account_totp',
    sweepTotp,
    (n, age) => `WITH made AS (INSERT INTO account (id) SELECT gen_random_uuid()
        FROM generate_series(1, ${n}) RETURNING id)
      INSERT INTO account_totp (account_id, seed, started_at)
      SELECT id, 'x', now() - interval '1 day' - interval '${age}' FROM made`,
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
    sweepEvents,
    (n, age) => `INSERT INTO audit_event
      (id, actor_kind, action, outcome, scope_kind, scope_id, at)
      SELECT gen_random_uuid(), 'user', 'session.refuse', 'refused',
        CASE n % 2 WHEN 0 THEN 'account' END, CASE n % 2 WHEN 0 THEN '${account}'::uuid END,
        now() - interval '90 days' - interval '${age}' FROM generate_series(1, ${n}) AS n`,
  ],
];

test.each(tables)(
  '%s: expired rows are deleted, a thousand at a time',
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

test('the hourly sweep of accounts covers all of its tables', async () => {
  const swept = tables.filter(([table]) => !table.startsWith('mail_'));
  const counts = () => Promise.all(swept.map(async ([table]) => [table, await count(table)]));
  const before = await counts();
  for (const [, , add] of swept) await run(add(3, '1 minute'));

  await sweepAll({
    ...{ database, log: { warn: () => {} } },
    audit: { sweep: sweepEvents },
    organizations: {
      async sweep(connection) {
        await sweepInvitations(connection);
        await sweepSso(connection);
      },
    },
  });

  expect(await counts()).toEqual(before);
});

test('a confirmed authenticator app is not deleted, however old', async () => {
  await run(`UPDATE account_totp SET confirmed_at = now() - interval '1 year',
    started_at = now() - interval '1 year'`);

  await sweepTotp(database.pool);

  expect(await count('account_totp')).toBe(1);
});

test('a sweep that fails does not stop the others', async () => {
  const dead = `INSERT INTO password_reset VALUES ('y@z.w', 'x', now() - interval '2 days')`;
  await run(`${dead}; ALTER TABLE used_once RENAME TO used_never`);
  const warnings: string[] = [];
  const warn = (_fields: object, message: string) => void warnings.push(message);

  await sweepAll({
    ...{ database, log: { warn } as never },
    audit: { sweep: sweepEvents },
    organizations: { sweep: sweepInvitations },
  });

  await run('ALTER TABLE used_never RENAME TO used_once');
  expect(warnings).toEqual(['sweep of expired rows failed; next attempt in an hour']);
  expect(await count(`password_reset WHERE email = 'y@z.w'`)).toBe(0);
});

test('audit events other than expired refusals are never deleted', async () => {
  await run(`INSERT INTO audit_event (id, actor_kind, action, scope_kind, scope_id, at) VALUES
    (gen_random_uuid(), 'user', 'session.create', 'account', '${account}', now() - interval '1 year'),
    (gen_random_uuid(), 'system', 'other', NULL, NULL, now() - interval '1 year')`);

  await sweepEvents(database.pool);

  expect(await count(`audit_event WHERE at < now() - interval '300 days'`)).toBe(2);
  for (const row of [`outcome = 'done'`, `outcome = 'refused'`])
    await expect(run(`DELETE FROM audit_event WHERE ${row}`), row).rejects.toThrow('append-only');
});

/** Returns the number of rows that each statement deleted from the table. */
async function removedBy(sweep: (db: Queryable) => Promise<void>, table: string) {
  const removed: number[] = [];
  const query: Queryable['query'] = async (statement) => {
    const result = await database.pool.query(statement);
    if (statement.sql.replaceAll('"', '').includes(`DELETE FROM ${table} `))
      removed.push(result.rowCount);
    return result;
  };
  await sweep({ ...database.pool, query });
  return removed;
}

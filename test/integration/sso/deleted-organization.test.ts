import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createEndAccess } from '../../../src/accounts/sso-access/end-access.ts';
import { createAudit } from '../../../src/audit/audit.ts';
import { systemAuthority } from '../../../src/caller/actor.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import { insertJobs } from '../../../src/mail/store.ts';
import { lockOrganizationForUpdate } from '../../../src/organizations/store.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { Transaction } from '../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { countStatements } from '../../support/worlds/counted-statements.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const { databaseUrl: url } = await createDeployment();
const database = await closeAfterTests(createDatabase({ url, onIdleError: () => {} }));

const rows = async <Row extends pg.QueryResultRow>(text: string, values: unknown[]) =>
  (await database.authPool.query<Row>(text, values)).rows;

const LINK = `INSERT INTO account_identity (id, account_id, provider, issuer, subject)
  SELECT gen_random_uuid(), id, 'sso', 'sso:' || $1, id::text FROM unnest($2::uuid[]) AS id`;

/** Creates an organization with as many members who are linked, and one who is not. */
async function createLinked(count: number) {
  const [organization, connection, unlinked] = [randomUUID(), randomUUID(), randomUUID()];
  const linked = Array.from({ length: count }, () => randomUUID());
  await rows("INSERT INTO organization (id, name) VALUES ($1, 'Acme')", [organization]);
  await rows(
    `INSERT INTO sso_connection (id, organization_id, name, protocol, configuration, attributes,
       role_ids, seats, may_link)
     VALUES ($1, $2, 'ID', 'saml', '{}', '{}', '{}', '[]', false)`,
    [connection, organization],
  );
  const accounts = [...linked, unlinked];
  await rows('INSERT INTO account (id) SELECT unnest($1::uuid[])', [accounts]);
  await rows(
    `INSERT INTO membership (id, organization_id, account_id)
     SELECT gen_random_uuid(), $1, unnest($2::uuid[])`,
    [organization, accounts],
  );
  await rows(LINK, [connection, linked]);
  return { organization, connection, linked, unlinked };
}

/** Adds a passkey to each account, which ends with the access, and an address to tell so. */
async function addPasskeys(account_ids: readonly string[]): Promise<void> {
  await rows("UPDATE account SET email = id || '@a.example' WHERE id = ANY($1)", [account_ids]);
  await rows(
    `INSERT INTO account_passkey
       (id, account_id, credential_id, public_key, counter, transports, name)
     SELECT gen_random_uuid(), id, id::text, '', 0, '{}', 'Key' FROM unnest($1::uuid[]) AS id`,
    [account_ids],
  );
}

const enqueue: Mail['enqueue'] = (transaction, ...emails) =>
  insertJobs(
    transaction,
    emails.map((email) => ({
      ...{ id: randomUUID(), subject_id: null, locale: null, try_hours: 24, ...email },
    })),
  );

const countEmails = async (ids: readonly string[]) =>
  (
    await rows<{ count: number }>(
      `SELECT count(DISTINCT (address, subject_id))::int FROM mail_job
       WHERE kind = 'second_factor_changed' AND subject_id = ANY($1)
         AND address = subject_id || '@a.example' AND give_up_at > now() + interval '23 hours'`,
      [ids],
    )
  )[0]!.count;

/** Ends what the providers of an organization left, as its deletion does. */
const end = (organization_id: string) => async (transaction: Transaction) => {
  await lockOrganizationForUpdate(transaction, organization_id);
  const everyone = { organization_id, account_ids: 'all' } as const;
  const endAccess = createEndAccess({
    audit: createAudit(database),
    mail: { enqueue } as unknown as Mail,
  });
  await endAccess(transaction, everyone, systemAuthority.actor);
};

const countEnded = async (ids: readonly string[]) =>
  (
    await rows<{ links: number; ended: number; audited: number }>(
      `SELECT (SELECT count(*)::int FROM account_identity WHERE account_id = ANY($1)) AS links,
         (SELECT count(*)::int FROM account WHERE id = ANY($1) AND credentials_ended <> '{}') AS ended,
         (SELECT count(*)::int FROM audit_event
           WHERE scope_id = ANY($1) AND action = 'identity.unlink') AS audited`,
      [ids],
    )
  )[0];

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('deleting an organization takes as many statements for 1,000 linked members as for ten, e-mails included', async () => {
  const [few, many] = [await createLinked(10), await createLinked(1_000)];
  await addPasskeys([...few.linked, ...many.linked]);

  const statements = await countStatements(database, end(few.organization));

  expect(await countStatements(database, end(many.organization))).toBe(statements);
  for (const { linked } of [few, many]) {
    expect(await countEnded(linked)).toEqual({
      ...{ links: 0, ended: linked.length, audited: linked.length },
    });
    expect(await countEmails(linked)).toBe(linked.length);
  }
});

test('deleting an organization does not wait for a member that its providers cannot sign in', async () => {
  const { organization, linked, unlinked } = await createLinked(1);
  const other = await connect();
  await other.query('BEGIN');
  await other.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [unlinked]);

  await database.transaction(end(organization));

  expect(await countEnded(linked)).toMatchObject({ links: 0 });
});

test('a link that is being made while the organization is deleted ends with it', async () => {
  const { organization, connection, unlinked } = await createLinked(1);
  const other = await connect();
  await other.query('BEGIN');
  await other.query(LINK, [connection, [unlinked]]);

  const deleting = database.transaction(end(organization));
  const waits = "SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'";
  while ((await rows(waits, [])).length === 0) await setTimeout(10);
  await other.query('COMMIT');
  await deleting;

  expect(await countEnded([unlinked])).toEqual({ links: 0, ended: 1, audited: 1 });
});

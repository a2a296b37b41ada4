import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { always } from '../../../src/caller/once.ts';
import { createMail } from '../../../src/mail/mail.ts';
import { createInvitations } from '../../../src/organizations/invitations/invitations.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { defaultPlans } from '../../../src/platform/config/plans.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { Transaction } from '../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { MEMBER } from '../../support/people/organizations.ts';
import { newEmail } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { recordingIn } from '../../support/worlds/recorded-statements.ts';

/** Operations since the last reset, in order: statements, form limits and mail probes. */
const operations: string[] = [];
const organization = randomUUID();
const inviter = randomUUID();

const recordStatements = recordingIn(operations);

const { databaseUrl } = await createDeployment();
const database = await closeAfterTests(createDatabase({ url: databaseUrl, onIdleError: () => {} }));
await database.authPool.query('INSERT INTO account (id, email) VALUES ($1, $2)', [
  ...[inviter, newEmail('owner')],
]);
await database.authPool.query(`INSERT INTO organization (id, name) VALUES ($1, 'Acme')`, [
  organization,
]);
const config = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.c', PUBLIC_URL: 'http://a' };
const secrets = createSecrets('equal-work-root-'.repeat(3));
const mail = createMail({ database, secrets, log: createLog('silent'), config });
const invitations = createInvitations({
  database: { pool: recordStatements(database.pool), authPool: database.authPool },
  mail: { ...mail, requireDelivery: async () => void operations.push('mail is probed') },
  limitForm: async (kind: string) => void operations.push(`limit ${kind}`),
  grants: { problems: async () => [] },
  seatGuard: { problems: async () => [] },
  authz: {
    edit: ({ work }: { work(transaction: Transaction): Promise<unknown> }) =>
      database.transaction((transaction) => work(recordStatements<Transaction>(transaction))),
  },
  plans: defaultPlans,
  config,
} as unknown as Parameters<typeof createInvitations>[0]);

const caller = { person: inviter, scopes: [], credential: { kind: 'session', id: '' } } as never;

/** Invites an address, and returns the operations that this took. */
async function workOf(email: string): Promise<string[]> {
  operations.length = 0;
  const request = { id: 'equal work', address: '10.1.2.3', once: always } as never;
  await invitations.create(caller, organization, { email, role_ids: [MEMBER], teams: [] }, request);
  return [...operations];
}

test.each(['active', 'deactivated'])(
  'inviting an %s account does the same work as inviting an unknown address (TM, S17)',
  async (status) => {
    const email = newEmail();
    await database.authPool.query('INSERT INTO account (id, email, status) VALUES ($1, $2, $3)', [
      ...[randomUUID(), email, status],
    ]);

    const known = await workOf(email);

    expect(known).toEqual(await workOf(newEmail()));
    expect(known.length).toBeGreaterThan(6);
    expect(known.slice(0, 2)).toEqual(['limit invitation', 'mail is probed']);
  },
);

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMail } from '../../../src/mail/mail.ts';
import { createInvitations } from '../../../src/organizations/invitations/invitations.ts';
import type { Invitations } from '../../../src/organizations/invitations/invitations.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { defaultPlans } from '../../../src/platform/config/plans.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { Database, Transaction } from '../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { MEMBER } from '../../support/people/organizations.ts';
import { newEmail } from '../../support/people/people.ts';

/** Statements since the last reset, in order. */
const done: string[] = [];
const organization = randomUUID();
const inviter = randomUUID();
let database: Database;
let invitations: Invitations;

/** Records every statement of a connection, without its values. */
const recorded = <Connection extends object>(connection: Connection): Connection =>
  new Proxy(connection, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        const [query] = given as [{ sql?: string } | undefined];
        if (query?.sql !== undefined) done.push(query.sql.replaceAll(/\s+/g, ' ').trim());
        return Reflect.apply(member, target, given);
      };
    },
  });

beforeAll(async () => {
  const { databaseUrl } = await createDeployment();
  database = await createDatabase({ url: databaseUrl, onIdleError: () => {} });
  await database.hot.query('INSERT INTO account (id, email) VALUES ($1, $2)', [
    ...[inviter, newEmail('owner')],
  ]);
  await database.hot.query(`INSERT INTO organization (id, name) VALUES ($1, 'Acme')`, [
    organization,
  ]);
  const config = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.c', PUBLIC_URL: 'http://a' };
  const secrets = createSecrets('equal-work-root-'.repeat(3));
  const mail = createMail({ database, secrets, log: createLog('silent'), config });
  invitations = createInvitations({
    database: { pool: recorded(database.pool), hot: database.hot },
    mail: { ...mail, requireDelivery: async () => void done.push('mail is probed') },
    limitForm: async (kind: string) => void done.push(`limit ${kind}`),
    escalation: { problems: async () => [] },
    authz: {
      editContent: ({ work }: { work(transaction: Transaction): Promise<unknown> }) =>
        database.transaction((transaction) => work(recorded<Transaction>(transaction))),
    },
    plans: defaultPlans,
    config,
  } as unknown as Parameters<typeof createInvitations>[0]);
});
afterAll(() => database?.close());

const caller = { person: inviter, scopes: [], credential: { kind: 'session', id: '' } } as never;

/** Returns everything that inviting an address does. */
async function workOf(email: string): Promise<string[]> {
  done.length = 0;
  const request = { id: 'equal work', address: '10.1.2.3' } as never;
  await invitations.create(caller, organization, { email, role_ids: [MEMBER] }, request);
  return [...done];
}

test.each(['active', 'deactivated'])(
  'inviting an %s account does the same work as inviting an unknown address (TM, S17)',
  async (status) => {
    const email = newEmail();
    await database.hot.query('INSERT INTO account (id, email, status) VALUES ($1, $2, $3)', [
      ...[randomUUID(), email, status],
    ]);

    const known = await workOf(email);

    expect(known).toEqual(await workOf(newEmail()));
    expect(known.length).toBeGreaterThan(6);
    expect(known.slice(0, 2)).toEqual(['limit invitation', 'mail is probed']);
  },
);

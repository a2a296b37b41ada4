import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccounts } from '../../../src/accounts/accounts.ts';
import type { Accounts, AccountsDependencies } from '../../../src/accounts/accounts.ts';
import { findForReset } from '../../../src/accounts/passwords/store.ts';
import { createPasswords } from '../../../src/accounts/passwords/passwords.ts';
import { createAudit } from '../../../src/audit/audit.ts';
import { always } from '../../../src/caller/once.ts';
import type { RequestFacts } from '../../../src/caller/route.ts';
import { createMail } from '../../../src/mail/mail.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { Database, Transaction } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { createMailbox } from '../../support/people/mailbox.ts';
import { goodPassword, newEmail } from '../../support/people/people.ts';
import { createQuickCaptcha } from '../../support/people/quick-captcha.ts';
import { recordingIn } from '../../support/worlds/recorded-statements.ts';

const env = { SECRETS_KEY: 'equal-work-root-'.repeat(3) };
const { captcha, token } = createQuickCaptcha(env);
const passwords = createPasswords();
const request: RequestFacts = {
  id: 'equal work',
  address: '10.1.2.3',
  user_agent: null,
  cookies: {},
  if_match: null,
  accept_language: null,
  from_elsewhere: false,
  once: always,
};

/**
 * Operations since the last reset, in order: statements, Argon2 runs, wake-ups of the mail worker.
 */
const operations: string[] = [];
let mail: Mail;
/** When set, the form looks the account up, which no real form may do. */
let isQuerying = false;

afterAll(async () => {
  await Promise.all([mail?.stop(), mailbox?.close(), database?.close()]);
});
beforeEach(() => {
  isQuerying = false;
});

const recordStatements = recordingIn(operations);

const { databaseUrl } = await createDeployment();
const database = await createDatabase({ url: databaseUrl, onIdleError: () => {} });
const mailbox = await createMailbox();
const accounts = await createRecordedAccounts();

/** Creates the real account module with recording dependencies and no background work. */
async function createRecordedAccounts(): Promise<Accounts> {
  const config = { SMTP_URL: mailbox.url, MAIL_FROM: 'a@b.c', PUBLIC_URL: 'http://localhost:7070' };
  const log = createLog('silent');
  const secrets = createSecrets(env.SECRETS_KEY);
  mail = createMail({ database, secrets, log, config });
  const watched: Pick<Database, 'pool' | 'transaction'> = {
    pool: recordStatements(database.pool),
    transaction: (work) =>
      database.transaction((transaction) => work(recordStatements<Transaction>(transaction))),
  };
  return createAccounts({
    database: { ...database, ...watched },
    audit: createAudit(watched),
    mail: { ...mail, wake: () => operations.push('the mail worker is woken') },
    secrets,
    log,
    config: { ...config, DASHBOARD_URL: config.PUBLIC_URL, CAPTCHA: 'altcha', OUTBOUND_ALLOW: [] },
    captcha: {
      ...captcha,
      async verify(password: string, address: string) {
        operations.push('captcha');
        if (isQuerying && (await findForReset(watched.pool, known)) !== null)
          operations.push('found');
        return captcha.verify(password, address);
      },
    },
    passwords: {
      ...passwords,
      hash: (password: string) => (operations.push('argon2 hash'), passwords.hash(password)),
      matches: (password: string, stored: string | null) => (
        operations.push('argon2 comparison'),
        passwords.matches(password, stored)
      ),
    },
    limitForm: async (kind: string) => void operations.push(`limit ${kind}`),
    refundForm: async (kind: string) => void operations.push(`refund ${kind}`),
    organizations: { requiresSso: async () => false },
    exports: {},
  } as unknown as AccountsDependencies);
}

let known: string;
const addAccount = async (change = {}) => {
  const email = newEmail();
  const row = { status: 'active', password_hash: await passwords.hash(goodPassword), ...change };
  await database.authPool.query(
    `INSERT INTO account (id, email, status, password_hash)
     VALUES (gen_random_uuid(), $1, $2, $3)`,
    [email, row.status, row.password_hash],
  );
  return email;
};
const addRegistration = async () => {
  const email = newEmail();
  await register(email);
  return email;
};

/** Kinds of addresses that a form may receive; it must do the same work for all of them. */
const kinds: Record<string, () => Promise<string> | string> = {
  'an account': () => addAccount(),
  'a deactivated account': () => addAccount({ status: 'deactivated' }),
  'an account without a password': () => addAccount({ password_hash: null }),
  'an unverified registration': addRegistration,
  'an address reserved for its former owner': async () => {
    const email = newEmail();
    await database.authPool.query(
      'INSERT INTO email_reservation (email, account_id) SELECT $1, id FROM account LIMIT 1',
      [email],
    );
    return email;
  },
};

const checkNoDeadline = () => {};
const register = async (email: string) =>
  accounts.registration.register(
    { email, password: goodPassword, locale: 'en', captcha_token: await token() },
    request,
    checkNoDeadline,
  );
const bodyFor = async (email: string) => ({ email, captcha_token: await token() });
const forms: Record<string, (email: string) => Promise<unknown>> = {
  registration: register,
  'resend-verification': async (email) =>
    accounts.registration.resend(await bodyFor(email), request, checkNoDeadline),
  'password/reset': async (email) =>
    accounts.passwordReset.request(await bodyFor(email), request, checkNoDeadline),
  'a sign-in with a wrong password': (email) =>
    accounts.signIn({ email, password: 'quartz meadow tunnel 19' }, request).then(
      () => expect.unreachable(),
      () => {},
    ),
};

/** Submits a form for an address, and returns the operations that this took. */
async function workOf(form: string, email: string): Promise<string[]> {
  operations.length = 0;
  await forms[form]!(email);
  return [...operations];
}

describe.each(Object.keys(forms))('%s does the same work as for an unknown address', (form) => {
  test.each(Object.keys(kinds))('for %s (TM, rel:B4-10, rel:B4-20, S17)', async (kind) => {
    known = await addAccount();
    const unknown = await workOf(form, newEmail());

    const work = await workOf(form, await kinds[kind]!());

    expect(work).toEqual(unknown);
    expect(work.length).toBeGreaterThan(3);
  });
});

test('a failed sign-in makes two comparisons, whatever the address (docs/decisions/0014)', async () => {
  const work = await workOf('a sign-in with a wrong password', newEmail());

  expect(work.filter((operation) => operation.startsWith('argon2'))).toEqual([
    'argon2 comparison',
    'argon2 comparison',
  ]);
});

test('a correct password of a deactivated account costs the same as a wrong one', async () => {
  const email = await addAccount({ status: 'deactivated' });
  const wrong = await workOf('a sign-in with a wrong password', email);

  operations.length = 0;
  await accounts.signIn({ email, password: goodPassword }, request).catch(() => {});

  expect(operations).toEqual(wrong);
});

test('a form that looked the account up would be detected', async () => {
  known = await addAccount();
  const usual = await workOf('resend-verification', newEmail());
  isQuerying = true;

  expect(await workOf('resend-verification', known)).not.toEqual(usual);
});

test.each(['register', 'resend', 'reset'] as const)(
  'a %s request past its deadline saves nothing, and its captcha stays valid',
  async (form) => {
    const email = newEmail();
    const body = { email, password: goodPassword, locale: 'en', captcha_token: await token() };
    const submit = {
      register: accounts.registration.register,
      resend: accounts.registration.resend,
      reset: accounts.passwordReset.request,
    }[form];
    const jobs = async () => {
      const found = 'SELECT FROM mail_job WHERE address = $1';
      return (await database.authPool.query(found, [email])).rowCount;
    };

    const late = submit(body, request, () => {
      throw new Error('late');
    });
    await expect(late).rejects.toThrow('late');
    expect(await jobs()).toBe(0);

    await submit(body, request, checkNoDeadline);
    expect(await jobs()).toBe(1);
  },
);

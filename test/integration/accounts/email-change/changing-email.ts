import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { goodPassword, signUp, tokenOf } from '../../../support/people/people.ts';
import type { Answer, SignedUp } from '../../../support/people/people.ts';
import type { Gateway, World } from '../../../support/worlds/world.ts';

export interface Errors {
  errors: { code: string; detail: unknown }[];
}

/** Returns a refusal's status, and the code and pointer of each error. */
export const codes = ({ status, body }: Answer<Errors>): unknown[] => [
  status,
  ...body.errors.map((one) => [one.code, (one.detail as { pointer?: string } | null)?.pointer]),
];

/** Helpers for changing e-mail addresses in one world. */
export function createChanging(world: World, gateway: Gateway) {
  const post = (path: string, token: string) =>
    fetch(`${gateway.url}/api/user/email/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  const ask = ({ person, bearer }: SignedUp, email: string, fields: object = {}) =>
    person.ask<Errors>({
      path: '/api/user/email',
      body: { email, current_password: goodPassword, ...fields },
      headers: bearer,
    });
  const confirm = async (token: string) => (await post('confirm', token)).status;
  const undo = async (token: string) => (await post('undo', token)).status;
  const count = async (from: string, values: unknown[] = []) =>
    Number((await world.query(`SELECT count(*) FROM ${from}`, values))[0]!['count']);

  /** Inserts a link that changes the address, as if its e-mail had arrived. */
  async function linkFor(
    { account_id }: Pick<SignedUp, 'account_id'>,
    email: string,
  ): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await world.query(
      `INSERT INTO email_change (id, account_id, session_id, email, token_hash)
       VALUES ($1, $2, $3, $4, $5)`,
      [randomUUID(), account_id, randomUUID(), email, sha256(token)],
    );
    return token;
  }

  return {
    ask,
    confirm,
    undo,
    count,
    linkFor,
    signUp: (name: string) => signUp(world, gateway, name),
    /** Requests the change and returns the token from the e-mail sent to the new address. */
    async linkSent(who: SignedUp, email: string): Promise<string> {
      expect((await ask(who, email)).status).toBe(202);
      return tokenOf(await world.mailbox.next(email));
    },
    /** Changes the address; returns the token that undoes it. */
    async move(who: SignedUp, from: string, to: string): Promise<string> {
      expect(await confirm(await linkFor(who, to))).toBe(200);
      return undoLink(world, from);
    },
    emailOf: async ({ account_id }: SignedUp) =>
      (await world.query('SELECT email FROM account WHERE id = $1', [account_id]))[0]!['email'],
    /** Waits until every e-mail is sent or given up. */
    settled: () => expect.poll(() => count('mail_job WHERE outcome IS NULL')).toBe(0),
    emailsTo: (email: string) =>
      world.mailbox.emails.filter(({ to }) => to === email).map(({ subject }) => subject),
    signIn: ({ person }: SignedUp, email: string): Promise<Answer<Errors>> =>
      person.ask({ path: '/api/auth/login', body: { email, password: goodPassword } }),
    isSignedIn: async ({ person, bearer }: SignedUp) =>
      (await person.ask({ path: '/api/user/profile', headers: bearer })).status === 200,
  };
}

const CHANGED = 'Your e-mail address was changed';

async function undoLink({ mailbox }: World, from: string): Promise<string> {
  for (;;) {
    const message = await mailbox.next(from);
    if (message.subject === CHANGED) return tokenOf(message);
  }
}

const sha256 = (token: string) => createHash('sha256').update(token).digest();

import type { RequestFacts } from '../caller/route.ts';
import type { Transaction } from '../platform/database.ts';
import { unauthenticated } from '../platform/refusal.ts';
import { normalizeAddress } from './address.ts';
import type { Parts } from './dependencies.ts';
import type { Account, SignIn } from './schema.ts';
import type { OpenSession, Sessions } from './sessions/sessions.ts';
import { findAccount, findForSignIn, setPasswordHash } from './store.ts';

export interface SignedIn {
  session: OpenSession;
  account: Account;
}

/** Password sign-in: unknown address and wrong password are one answer after one Argon2 run. */
export function createSignIn(parts: Parts & { sessions: Sessions }) {
  const { database, audit, passwords, limitForm, forgiveForm } = parts;

  function record(
    transaction: Transaction,
    action: 'session.create' | 'session.refuse',
    accountId: string | null,
    request: RequestFacts,
    sessionId?: string,
  ): Promise<void> {
    return audit.record(transaction, {
      actor: { kind: 'user', id: accountId, request_id: request.id, address: request.address },
      action,
      scope: accountId === null ? null : { kind: 'account', id: accountId },
      units: sessionId === undefined ? [] : [{ type: 'session', id: sessionId }],
    });
  }

  /** Null if the account was deactivated or its password changed while it was compared. */
  async function open(
    { id, password_hash }: { id: string; password_hash: string },
    password: string,
    request: RequestFacts,
  ): Promise<SignedIn | null> {
    const to = passwords.isDated(password_hash) ? await passwords.hash(password) : null;
    return database.transaction(async (transaction) => {
      const opening = { account_id: id, password_hash, amr: ['pwd'], request };
      const session = await parts.sessions.open(transaction, opening);
      const account = session && (await findAccount(transaction, id));
      if (session === null || account === null) return null;
      if (to !== null) await setPasswordHash(transaction, { id, from: password_hash, to });
      await record(transaction, 'session.create', id, request, session.session_id);
      return { session, account };
    });
  }

  return async function signIn(body: SignIn, request: RequestFacts): Promise<SignedIn> {
    const email = normalizeAddress(body.email) ?? body.email.toLowerCase();
    const attempt = { address: request.address, email };
    // Taken before the password is looked at, or parallel guesses would pass together.
    await limitForm('login_failed', attempt);
    const row = await findForSignIn(database.pool, email);
    const matches = await passwords.matches(body.password, row.password_hash);
    if (matches && row.id !== null && row.status === 'active' && row.password_hash !== null) {
      await forgiveForm('login_failed', attempt);
      const { id, password_hash } = row;
      const signedIn = await open({ id, password_hash }, body.password, request);
      if (signedIn !== null) return signedIn;
    }
    await database.transaction((transaction) =>
      record(transaction, 'session.refuse', row.id, request),
    );
    if (matches && row.id === null) throw notVerified();
    throw wrong();
  };
}

const wrong = () =>
  unauthenticated('authentication_error', 'The e-mail address or the password is wrong.');
const notVerified = () =>
  unauthenticated(
    'authentication_error',
    'This e-mail address is not verified yet. Open the link in the letter we sent.',
  );

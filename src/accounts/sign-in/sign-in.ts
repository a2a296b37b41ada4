import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { unauthenticated } from '../../platform/errors/refusal.ts';
import { normalizeAddress } from '../../platform/text/address.ts';
import type { AccountsParts } from '../dependencies.ts';
import { setPasswordHash } from '../store.ts';
import type { CompleteSignIn, SignInResult } from './complete-sign-in.ts';
import type { SignIn } from './schema.ts';
import { findForSignIn } from './store.ts';
import type { SignInRow } from './store.ts';

/**
 * Signs in with a password. Before a sign-in fails, the password is compared with the hash of an
 * account and with that of a registration, whether or not they exist, so neither timing nor
 * response reveals who has an account (docs/decisions/0014).
 */
export function createSignIn(parts: AccountsParts & { completeSignIn: CompleteSignIn }) {
  const { database, audit, passwords, organizations, limitForm, refundForm, completeSignIn } =
    parts;

  /** Returns null if the account requires SSO, is inactive, or its sessions have ended since. */
  async function openSession(
    { id, password_hash, sessions_ended }: ComparedAccount,
    password: string,
    request: RequestFacts,
  ): Promise<SignInResult | null> {
    const to = passwords.isOutdated(password_hash) ? await passwords.hash(password) : null;
    return database.transaction(async (transaction) => {
      if (await organizations.requiresSso(transaction, id)) return null;
      if (to !== null) await setPasswordHash(transaction, { id, from: password_hash, to });
      return completeSignIn(transaction, { account_id: id, sessions_ended, amr: ['pwd'], request });
    });
  }

  /** Returns null if no active account has this password, or if it may not sign in. */
  async function tryAccount(
    { id, status, password_hash, sessions_ended }: SignInRow,
    password: string,
    request: RequestFacts,
  ): Promise<SignInResult | null> {
    const matches = await passwords.matches(password, password_hash);
    if (!matches || status !== 'active') return null;
    if (id === null || password_hash === null || sessions_ended === null) return null;
    return openSession({ id, password_hash, sessions_ended }, password, request);
  }

  return async function signIn(body: SignIn, request: RequestFacts): Promise<SignInResult> {
    const email = normalizeAddress(body.email) ?? body.email.toLowerCase();
    const attempt = { address: request.address, email };
    // Counted before the password is checked, so that parallel guesses cannot exceed the limit.
    await limitForm('login_failed', attempt);
    const found = await findForSignIn(database.pool, email);
    const result = await tryAccount(found, body.password, request);
    if (result !== null) {
      // Only now: a correct password that opens no session must look like a wrong one.
      await refundForm('login_failed', attempt);
      return result;
    }
    const isUnverified = await passwords.matches(body.password, found.registered_hash);
    await audit.record(database.pool, {
      actor: personActor(found.id, request),
      action: 'session.refuse',
      outcome: 'refused',
      scope: found.id === null ? null : { kind: 'account', id: found.id },
    });
    throw isUnverified ? notVerified() : wrongCredentials();
  };
}

/** The account as it was when its password was compared. */
interface ComparedAccount {
  id: string;
  password_hash: string;
  sessions_ended: number;
}

const wrongCredentials = () =>
  unauthenticated('authentication_error', 'The e-mail address or the password is wrong.');
const notVerified = () =>
  unauthenticated(
    'authentication_error',
    'This e-mail address is not verified yet. Open the link in the e-mail we sent.',
    { detail: { pointer: '/email' } },
  );

import type { SessionPrincipal } from '../../caller/principal.ts';
import { always } from '../../caller/once.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { createDeletion } from '../deletion/deletion.ts';
import { findReauthenticationState } from '../passwords/store.ts';
import { readRegistration } from '../registration/registration-rules.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { CompleteSignIn } from '../sign-in/complete-sign-in.ts';
import { isSecondFactorRequired } from '../sign-in/complete-sign-in.ts';
import { findStateByEmail, lockActiveAccount } from '../store.ts';
import { registerVerified } from './register-verified.ts';
import type { NewPerson, RegisterVerifiedParts } from './register-verified.ts';
import { hasAnyAccount } from './store.ts';

/** A session that the operator opened, and the access token that stands for it. */
export interface OperatorSession {
  token: string;
  caller: SessionPrincipal;
  request: RequestFacts;
  end(): Promise<void>;
}

type OperatorParts = RegisterVerifiedParts & {
  completeSignIn: CompleteSignIn;
  sessions: Pick<Sessions, 'authenticate' | 'end'>;
  deleteAccount: ReturnType<typeof createDeletion>;
};

/**
 * Creates the account operations that only the operator can perform, on the machine of the service.
 */
export function createOperatorAccess(parts: OperatorParts) {
  const { database, completeSignIn, sessions, deleteAccount } = parts;
  const { pool } = database;

  /** Returns the account with an address; null if there is none. */
  const find = async (email: string) => (await findStateByEmail(pool, email))?.id ?? null;

  /** Acts as a person; the audit log has the session, with `operator` as its method. */
  async function openSession(account_id: string): Promise<OperatorSession> {
    const request = operatorRequest();
    const result = await database.transaction(async (transaction) => {
      const account = await lockActiveAccount(transaction, account_id);
      if (account === null) throw absent('the account is deactivated or deleted');
      const { sessions_ended } = account;
      const amr = ['operator'];
      return completeSignIn(transaction, { account_id, sessions_ended, amr, request });
    });
    if (result === null || isSecondFactorRequired(result))
      throw absent('the account was deactivated concurrently');
    const { access_token: token } = result.session;
    const caller = await sessions.authenticate(token, null);
    return { token, caller, request, end: () => sessions.end(caller, request) };
  }

  return {
    find,
    /** Returns whether anyone has an account. */
    isUsed: () => hasAnyAccount(pool),
    /** Throws 400 with all problems of a new person's fields. */
    check: (person: NewPerson) => void readRegistration(person, parts.passwords.checkLength),
    /** Creates an account whose address counts as verified; sends no e-mail. Throws 400. */
    async create(person: NewPerson) {
      await registerVerified(parts, person, operatorRequest());
      const id = await find(person.email);
      if (id === null) throw absent('the account was deleted concurrently');
      return id;
    },
    openSession,
    /** Deletes an account as its person would, who cannot be the Owner of an organization. */
    async delete(account_id: string) {
      const { caller, request } = await openSession(account_id);
      const session_id = caller.credential.id;
      const found = await findReauthenticationState(pool, { account_id, session_id });
      if (found === null) return;
      const { password_hash } = found;
      const confirm = caller.email === '' ? 'delete' : caller.email;
      await deleteAccount(caller, { confirm }, { password_hash }, request);
    },
  };
}
export type OperatorAccess = ReturnType<typeof createOperatorAccess>;

/** Facts of what the operator does: it comes from this machine. */
const operatorRequest = (): RequestFacts => ({
  ...{ id: newId(), address: '127.0.0.1', user_agent: 'toolgate (operator)' },
  ...{ cookies: {}, if_match: null, accept_language: null, from_elsewhere: false, once: always },
});

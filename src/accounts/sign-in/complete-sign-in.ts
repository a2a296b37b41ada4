import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { findAccount } from '../store.ts';
import type { Account } from '../schema.ts';
import type { Method, SecondFactorResponse } from '../second-factor/schema.ts';
import { findFactors, hasFactor, insertPendingSignIn, methodsOf } from '../second-factor/store.ts';
import type { OpenSession, Sessions } from '../sessions/sessions.ts';

export interface SignInSuccess {
  session: OpenSession;
  account: Account;
}

/** A session, or a pending sign-in whose token goes to `POST auth/login/second-factor`. */
export type SignInResult = SignInSuccess | SecondFactorResponse;

export const isSecondFactorRequired = (result: SignInResult): result is SecondFactorResponse =>
  'second_factor' in result;

export interface SignInAttempt {
  account_id: string;
  /** The account's counter when the proof was verified; if it has changed, the proof is stale. */
  sessions_ended: number;
  /** RFC 8176 names of the verified factors: `pwd`, `fed`, `otp`, `hwk` … */
  amr: readonly string[];
  /** The connection of single sign-on that it was made through, if any. */
  sso_connection_id?: string;
  /** When the third party or passkey was added to the account that the person signed in with. */
  method_since?: string | null;
  request: RequestFacts;
}

/** Completes a sign-in in the caller's transaction; every kind of sign-in goes through it. */
export type CompleteSignIn = (
  transaction: Transaction,
  attempt: SignInAttempt,
) => Promise<SignInResult | null>;

// Each is a single factor; any other value means that no further factor is needed.
const SINGLE_FACTORS = new Set(['pwd', 'fed']);

/**
 * Creates `completeSignIn`, which returns null if the account is inactive or its sessions ended
 * after the proof.
 */
export function createCompleteSignIn({
  audit,
  sessions,
}: AccountsParts & { sessions: Sessions }): CompleteSignIn {
  async function startSecondFactor(
    transaction: Transaction,
    { account_id, sessions_ended, amr, method_since = null, request }: SignInAttempt,
    methods: Method[],
  ): Promise<SecondFactorResponse | null> {
    const token = newToken();
    const row = { hash: hashSecret(token), account_id, sessions_ended, amr, method_since };
    if (!(await insertPendingSignIn(transaction, row))) return null;
    await audit.record(transaction, {
      actor: personActor(account_id, request),
      action: 'session.challenge',
      scope: { kind: 'account', id: account_id },
      detail: { amr },
    });
    return { second_factor: { token, methods } };
  }

  return async function completeSignIn(transaction, attempt) {
    const { account_id, request, amr } = attempt;
    if (amr.every((proof) => SINGLE_FACTORS.has(proof))) {
      const factors = await findFactors(transaction, account_id);
      if (hasFactor(factors)) return startSecondFactor(transaction, attempt, methodsOf(factors));
    }
    const session = await sessions.open(transaction, attempt);
    const account = session && (await findAccount(transaction, account_id));
    if (session === null || account === null) return null;
    await audit.record(transaction, {
      actor: personActor(account_id, request, session.session_id),
      action: 'session.create',
      scope: { kind: 'account', id: account_id },
      units: [{ type: 'session', id: session.session_id }],
      detail: { amr },
    });
    return { session, account };
  };
}

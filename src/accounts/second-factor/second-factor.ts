import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { unauthenticated } from '../../platform/errors/refusal.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Ceremony, VerifiedSignature } from '../passkeys/ceremony.ts';
import { passkeyAmr } from '../passkeys/passkey-sign-in.ts';
import { markUsed } from '../passkeys/store.ts';
import { useRecoveryCode } from '../recovery-codes/codes.ts';
import type { CompleteSignIn, SignInSuccess } from '../sign-in/complete-sign-in.ts';
import { isSecondFactorRequired } from '../sign-in/complete-sign-in.ts';
import { lockActiveAccount } from '../store.ts';
import type { LockedAccount } from '../store.ts';
import type { TotpCodes } from '../totp/codes.ts';
import type { SecondFactor } from './schema.ts';
import { consumePendingSignIn, findPendingSignIn, consumeAttempt } from './store.ts';
import type { PendingSignIn } from './store.ts';

/**
 * Consumes a factor in the sign-in's transaction. Returns its amr values, or null if it is invalid.
 */
type VerifyFactor = (
  transaction: Transaction,
  account: LockedAccount,
) => Promise<readonly string[] | null>;

/** Completes a sign-in with its second factor: allows five attempts and creates one session. */
export function createSecondFactor(parts: SecondFactorParts) {
  const { database, audit, mail, organizations, limitForm, refundForm, completeSignIn, ceremony } =
    parts;
  const useCode = createCodeVerifier(parts);

  /**
   * Throws `NotVerified` on any failure. This rolls back, so no code is consumed without a session.
   */
  async function complete(
    transaction: Transaction,
    { hash, pending, verifyFactor, request }: SecondFactorAttempt,
  ): Promise<SignInSuccess> {
    const { account_id, method_since } = pending;
    const account = await lockActiveAccount(transaction, account_id);
    if (account === null) throw new NotVerified();
    if (await organizations.requiresSso(transaction, account_id)) throw new NotVerified();
    if (!(await consumePendingSignIn(transaction, hash))) throw new NotVerified();
    const factorAmr = await verifyFactor(transaction, account);
    if (factorAmr === null) throw new NotVerified();
    const amr = [...pending.amr, ...factorAmr];
    // If sessions had ended since the first factor, the pending sign-in would have been deleted.
    const { sessions_ended } = account;
    const attempt = { account_id, sessions_ended, amr, method_since, request };
    const result = await completeSignIn(transaction, attempt);
    if (result === null || isSecondFactorRequired(result)) throw new NotVerified();
    return result;
  }

  async function submit(body: SecondFactor, request: RequestFacts): Promise<SignInSuccess> {
    const hash = hashSecret(body.token);
    const pending = await findPendingSignIn(database.pool, hash);
    if (pending === null) throw signInExpired();
    const { account_id, email } = pending;
    const attempt = { address: request.address, email: email ?? account_id, account: account_id };
    await limitForm('second_factor', attempt);
    const remaining = await consumeAttempt(database.pool, hash);
    if (remaining === null) throw signInExpired();
    const verifyFactor =
      body.passkey === undefined
        ? useCode(body.code!, request)
        : usePasskey(await ceremony.verify(flowOf(body.token), body.passkey));
    try {
      const signedIn = await database.transaction((transaction) =>
        complete(transaction, { hash, pending, verifyFactor, request }),
      );
      mail.wake();
      await refundForm('second_factor', attempt);
      return signedIn;
    } catch (error) {
      if (!(error instanceof NotVerified)) throw error;
    }
    await audit.record(database.pool, {
      actor: personActor(account_id, request),
      action: 'session.refuse',
      outcome: 'refused',
      scope: { kind: 'account', id: account_id },
      detail: { step: 'second_factor' },
    });
    throw remaining > 0 ? wrongFactor() : signInExpired();
  }

  /** Returns WebAuthn options for the account's passkeys; this does not count as an attempt. */
  async function options(token: string) {
    const pending = await findPendingSignIn(database.pool, hashSecret(token));
    if (pending === null) throw signInExpired();
    return ceremony.signInOptions(flowOf(token), pending.account_id);
  }

  return { submit, options };
}

const flowOf = (token: string) => `second-factor:${token}`;

const usePasskey =
  (signed: VerifiedSignature | null): VerifyFactor =>
  async (transaction, { id }) =>
    signed?.credential.account_id === id &&
    (await markUsed(transaction, { id: signed.credential.id, counter: signed.counter }))
      ? passkeyAmr
      : null;

/**
 * Verifies a TOTP code or a recovery code. Use of a recovery code is recorded in the audit log and
 * announced by e-mail.
 */
function createCodeVerifier({ audit, mail, codes }: SecondFactorParts) {
  return (code: string, request: RequestFacts): VerifyFactor =>
    async (transaction, { id, email }) => {
      if (await codes.use(transaction, id, code)) return ['otp'];
      if (!(await useRecoveryCode(transaction, id, code))) return null;
      await audit.record(transaction, {
        actor: personActor(id, request),
        action: 'recovery_codes.use',
        scope: { kind: 'account', id },
      });
      const notice = { kind: 'recovery_code_used', subject_id: id };
      if (email !== null) await mail.enqueue(transaction, { ...notice, address: email });
      return ['otp'];
    };
}

interface SecondFactorParts extends AccountsParts {
  completeSignIn: CompleteSignIn;
  codes: TotpCodes;
  ceremony: Ceremony;
}

interface SecondFactorAttempt {
  hash: Buffer;
  pending: PendingSignIn;
  verifyFactor: VerifyFactor;
  request: RequestFacts;
}

/** Thrown to roll back the transaction if the second factor is not verified. */
class NotVerified extends Error {}

const wrongFactor = () =>
  unauthenticated('authentication_error', 'The code or passkey is wrong. Try again.', {
    detail: { pointer: '/code' },
  });
const signInExpired = () =>
  unauthenticated('authentication_error', 'This sign-in has expired. Sign in again.', {
    detail: { pointer: '/token' },
  });

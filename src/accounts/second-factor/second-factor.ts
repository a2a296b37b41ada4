import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { unauthenticated } from '../../platform/errors/refusal.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Ceremony, Signed } from '../passkeys/ceremony.ts';
import { passkeyAmr } from '../passkeys/passkey-sign-in.ts';
import { markUsed } from '../passkeys/store.ts';
import { useRecoveryCode } from '../recovery-codes/codes.ts';
import type { CompleteSignIn, SignInSuccess } from '../sign-in/complete-sign-in.ts';
import { isSecondFactorRequired } from '../sign-in/complete-sign-in.ts';
import { lockActiveAccount } from '../store.ts';
import type { LockedAccount } from '../store.ts';
import type { TotpCodes } from '../totp/codes.ts';
import type { SecondFactor } from './schema.ts';
import { consumePendingSignIn, findPendingSignIn, useAttempt } from './store.ts';
import type { PendingSignIn } from './store.ts';

/**
 * Consumes a factor in the sign-in's transaction; returns its amr values, null if it is invalid.
 */
type Prove = (
  transaction: Transaction,
  account: LockedAccount,
) => Promise<readonly string[] | null>;

/** Completes a sign-in with its second factor: at most five tries and one session. */
export function createSecondFactor(parts: SecondFactorParts) {
  const { database, audit, mail, organizations, limitForm, forgiveForm, completeSignIn, ceremony } =
    parts;
  const useCode = createCodeProof(parts);

  /**
   * Throws `NotVerified` on any failure, which rolls back: no code is consumed without a session.
   */
  async function complete(
    transaction: Transaction,
    { hash, pending, prove, request }: Answered,
  ): Promise<SignInSuccess> {
    const { account_id } = pending;
    const account = await lockActiveAccount(transaction, account_id);
    if (account === null) throw new NotVerified();
    if (await organizations.requiresSso(transaction, account_id)) throw new NotVerified();
    if (!(await consumePendingSignIn(transaction, hash))) throw new NotVerified();
    const proved = await prove(transaction, account);
    if (proved === null) throw new NotVerified();
    const amr = [...pending.amr, ...proved];
    // If sessions had ended since the first factor, the pending sign-in would have been deleted.
    const { sessions_ended } = account;
    const result = await completeSignIn(transaction, { account_id, sessions_ended, amr, request });
    if (result === null || isSecondFactorRequired(result)) throw new NotVerified();
    return result;
  }

  async function answer(body: SecondFactor, request: RequestFacts): Promise<SignInSuccess> {
    const hash = hashSecret(body.token);
    const pending = await findPendingSignIn(database.pool, hash);
    if (pending === null) throw ended();
    const { account_id, email } = pending;
    const attempt = { address: request.address, email: email ?? account_id, account: account_id };
    await limitForm('second_factor', attempt);
    const left = await useAttempt(database.pool, hash);
    if (left === null) throw ended();
    const prove =
      body.passkey === undefined
        ? useCode(body.code!, request)
        : usePasskey(await ceremony.sign(flowOf(body.token), body.passkey));
    try {
      const signedIn = await database.transaction((transaction) =>
        complete(transaction, { hash, pending, prove, request }),
      );
      mail.wake();
      await forgiveForm('second_factor', attempt);
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
    throw left > 0 ? wrong() : ended();
  }

  /** Returns WebAuthn options for the account's passkeys; this does not count as a try. */
  async function options(token: string) {
    const pending = await findPendingSignIn(database.pool, hashSecret(token));
    if (pending === null) throw ended();
    return ceremony.signInOptions(flowOf(token), pending.account_id);
  }

  return { answer, options };
}

const flowOf = (token: string) => `second-factor:${token}`;

const usePasskey =
  (signed: Signed | null): Prove =>
  async (transaction, { id }) =>
    signed?.credential.account_id === id &&
    (await markUsed(transaction, { id: signed.credential.id, counter: signed.counter }))
      ? passkeyAmr
      : null;

/** Verifies a TOTP code, or else a recovery code, whose use is audited and notified by e-mail. */
function createCodeProof({ audit, mail, codes }: SecondFactorParts) {
  return (code: string, request: RequestFacts): Prove =>
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

interface Answered {
  hash: Buffer;
  pending: PendingSignIn;
  prove: Prove;
  request: RequestFacts;
}

/** Thrown to roll back the transaction if the second factor is not verified. */
class NotVerified extends Error {}

const wrong = () =>
  unauthenticated('authentication_error', 'The code or passkey is wrong. Try again.', {
    detail: { pointer: '/code' },
  });
const ended = () =>
  unauthenticated('authentication_error', 'This sign-in has expired. Sign in again.', {
    detail: { pointer: '/token' },
  });

import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { unauthenticated } from '../../platform/errors/refusal.ts';
import { newToken } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { isSecondFactorRequired } from '../sign-in/complete-sign-in.ts';
import type { CompleteSignIn, SignInSuccess } from '../sign-in/complete-sign-in.ts';
import type { Ceremony, VerifiedSignature } from './ceremony.ts';
import type { PasskeySignIn } from './schema.ts';
import { findCredential, markUsed } from './store.ts';

/** RFC 8176 values of a passkey: a key that verified its user, so two factors in one. */
export const passkeyAmr = ['hwk', 'user'] as const;

const flowOf = (token: string) => `sign-in:${token}`;

/** Signs in without an address or a password: the passkey identifies the account. */
export function createPasskeySignIn(
  parts: AccountsParts & { completeSignIn: CompleteSignIn; ceremony: Ceremony },
) {
  const { database, audit, organizations, limitForm, refundForm, completeSignIn, ceremony } = parts;

  async function options(request: RequestFacts) {
    await limitForm('challenge', { address: request.address });
    const token = newToken();
    return { token, options: await ceremony.signInOptions(flowOf(token), null) };
  }

  async function openSession(
    transaction: Transaction,
    { credential, counter }: VerifiedSignature,
    request: RequestFacts,
  ): Promise<SignInSuccess | null> {
    const { id, account_id, sessions_ended, created_at: method_since } = credential;
    if (await organizations.requiresSso(transaction, account_id)) return null;
    const attempt = { account_id, sessions_ended, amr: passkeyAmr, method_since, request };
    const result = await completeSignIn(transaction, attempt);
    if (result === null || isSecondFactorRequired(result)) return null;
    // `completeSignIn` locked the account, so a concurrent removal or use of the passkey is
    // visible.
    if (!(await markUsed(transaction, { id, counter }))) throw new OutdatedSignature();
    return result;
  }

  async function signIn(body: PasskeySignIn, request: RequestFacts): Promise<SignInSuccess> {
    const attempt = { address: request.address, email: body.response.id };
    await limitForm('login_failed', attempt);
    // Only a discoverable passkey sends a user handle, which names the account.
    const isDiscovered = Boolean(body.response.response.userHandle);
    const signed = await ceremony.verify(flowOf(body.token), body.response);
    const signedIn =
      signed && isDiscovered
        ? await database
            .transaction((transaction) => openSession(transaction, signed, request))
            .catch(nullIfOutdated)
        : null;
    if (signedIn !== null) {
      await refundForm('login_failed', attempt);
      return signedIn;
    }
    const known = await findCredential(database.pool, body.response.id);
    await audit.record(database.pool, {
      actor: personActor(known?.account_id ?? null, request),
      action: 'session.refuse',
      outcome: 'refused',
      scope: known && { kind: 'account', id: known.account_id },
      detail: { step: 'passkey' },
    });
    throw passkeyRefused();
  }

  return { options, signIn, worksOnPages: ceremony.worksOnPages };
}

/** Thrown to roll back a session whose passkey signature is no longer valid. */
class OutdatedSignature extends Error {}

function nullIfOutdated(error: unknown): null {
  if (error instanceof OutdatedSignature) return null;
  throw error;
}

const passkeyRefused = () =>
  unauthenticated('authentication_error', 'This passkey was not accepted. Start again.');

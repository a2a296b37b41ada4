import { actorOf } from '../../caller/actor.ts';
import type { RequireReauthentication } from '../../caller/reauthentication.ts';
import { forbidden } from '../../platform/errors/refusal.ts';
import type { AccountsParts } from '../dependencies.ts';
import { accountDeleted } from '../refusals.ts';
import { requireProofFor } from '../sso-access/own-proof.ts';
import { findReauthenticationState } from './store.ts';

/**
 * Requires reauthentication (decisions.md 9): the current password if the account has one, else a
 * sign-in less than ten minutes old by database time, which for a change in an organization is not
 * one at another's identity provider. Throws 403, or 429 after too many wrong passwords, which count
 * as failed sign-ins.
 */
export function createReauthentication(parts: AccountsParts): RequireReauthentication {
  const { database, audit, passwords, limitForm, refundForm } = parts;
  return async function requireReauthentication(caller, currentPassword, request) {
    const { person: account_id, credential: session } = caller;
    const found = await findReauthenticationState(database.pool, {
      account_id,
      session_id: session.id,
    });
    if (found === null) throw accountDeleted();
    const { email, password_hash, is_fresh } = found;
    if (password_hash === null) {
      await requireProofFor(database.pool, caller);
      if (!is_fresh) throw signInAgain();
      return { password_hash };
    }
    if (currentPassword === undefined) throw passwordNeeded();
    const attempt = { address: request.address, email: email ?? account_id };
    await limitForm('login_failed', attempt);
    if (!(await passwords.matches(currentPassword, password_hash))) {
      await audit.record(database.pool, {
        actor: actorOf(caller, request),
        action: 'presence.refuse',
        outcome: 'refused',
        scope: { kind: 'account', id: account_id },
      });
      throw passwordNeeded();
    }
    await refundForm('login_failed', attempt);
    return { password_hash };
  };
}

/** Builds the 403; also thrown by a transaction that finds that the password has changed since. */
export const passwordNeeded = () =>
  forbidden('reauthentication_required', 'Send your current password to do this.', {
    detail: { pointer: '/current_password' },
  });
const signInAgain = () =>
  forbidden(
    'reauthentication_required',
    'Sign in again to do this: your last sign-in was more than ten minutes ago.',
  );

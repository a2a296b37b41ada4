import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequireReauthentication } from '../../caller/reauthentication.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { AccountsParts } from '../dependencies.ts';
import { dropChanges } from '../email-change/store.ts';
import { accountDeleted, requireNotManaged } from '../refusals.ts';
import { endSessionsExcept } from '../sessions/end-sessions.ts';
import { requireOwnProof } from '../sso-access/own-proof.ts';
import { findAccount, setPasswordHash } from '../store.ts';
import { requireGoodPassword } from './password-rules.ts';
import { passwordNeeded } from './reauthentication.ts';
import type { PasswordChange } from '../schema.ts';
import { dropResetLink } from './store.ts';

/** Changes the caller's password or sets the first one; every other session ends. */
export function createPasswordChange(
  parts: AccountsParts & { requireReauthentication: RequireReauthentication },
) {
  const { database, mail, audit, passwords, requireReauthentication } = parts;
  return async function changePassword(
    caller: SessionPrincipal,
    body: PasswordChange,
    request: RequestFacts,
  ): Promise<void> {
    const { person: id, credential: session } = caller;
    const account = await findAccount(database.pool, id);
    if (account === null) throw accountDeleted();
    await requireNotManaged(database.pool, id);
    await requireOwnProof(database.pool, caller);
    await requireGoodPassword(passwords.findIssue, body.password, account);
    const reauthentication = await requireReauthentication(caller, body.current_password, request);
    const to = await passwords.hash(body.password);
    await database.transaction(async (transaction) => {
      const change = { id, from: reauthentication.password_hash, to };
      const changed = await setPasswordHash(transaction, change);
      if (changed?.status !== 'active') throw passwordNeeded();
      await endSessionsExcept(transaction, id, session.id);
      await dropChanges(transaction, id);
      await audit.record(transaction, {
        actor: actorOf(caller, request),
        action: 'password.change',
        scope: { kind: 'account', id },
        units: [{ type: 'account', id }],
      });
      if (changed.email === null) return;
      await dropResetLink(transaction, changed.email);
      const notice = { kind: 'password_changed', address: changed.email, subject_id: id };
      await mail.enqueue(transaction, notice);
    });
    mail.wake();
  };
}

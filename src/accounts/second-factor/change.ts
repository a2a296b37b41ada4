import type { Action } from '../../caller/actions.ts';
import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Reauthentication, RequestFacts } from '../../caller/route.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { AddedSince } from '../added-since.ts';
import type { AccountsParts } from '../dependencies.ts';
import { accountDeleted } from '../refusals.ts';
import { passwordNeeded } from '../passwords/reauthentication.ts';
import { issueRecoveryCodes } from '../recovery-codes/codes.ts';
import { dropRecoveryCodes, dropUnneededRecoveryCodes } from '../recovery-codes/store.ts';
import { dropPasskeysSince } from '../passkeys/store.ts';
import { dropTotpSince } from '../totp/store.ts';
import { lockAccountBySession } from '../store.ts';
import { deletePendingSignIns, findFactors, hasFactor } from './store.ts';

export interface FactorChange {
  caller: SessionPrincipal;
  request: RequestFacts;
  /** Null if an earlier step of the same set-up required reauthentication. */
  reauthentication: Reauthentication | null;
  action: Action;
  units?: readonly { type: string; id: string }[];
  work(transaction: Transaction): Promise<void>;
  /** Called last in the transaction, with the recovery codes that are returned. */
  onChanged?(transaction: Transaction, codes: string[] | null): Promise<unknown>;
}

/** Returns recovery codes if the change adds the account's first factor, else null. */
export type ChangeFactors = (change: FactorChange) => Promise<string[] | null>;

/**
 * Runs every change of an account's second factors: serializes it, records it in the audit log and
 * notifies the account by e-mail.
 * Recovery codes and pending sign-ins exist only while the account has a factor.
 */
export function createFactorChange({ database, audit, mail }: AccountsParts): ChangeFactors {
  async function updateDependents(transaction: Transaction, accountId: string, hadFactor: boolean) {
    const hasNow = hasFactor(await findFactors(transaction, accountId));
    if (!hadFactor && hasNow) return issueRecoveryCodes(transaction, accountId);
    if (hadFactor && !hasNow) {
      await dropRecoveryCodes(transaction, accountId);
      await deletePendingSignIns(transaction, [accountId]);
    }
    return null;
  }

  return async function changeFactors({ caller, request, reauthentication, work, ...change }) {
    const { action, units, onChanged } = change;
    const { person: account_id } = caller;
    const codes = await database.transaction(async (transaction) => {
      const account = await lockAccountBySession(transaction, caller.credential.id);
      if (account === null) throw accountDeleted();
      if (reauthentication && reauthentication.password_hash !== account.password_hash)
        throw passwordNeeded();
      const hadFactor = hasFactor(await findFactors(transaction, account_id));
      await work(transaction);
      const recoveryCodes = await updateDependents(transaction, account_id, hadFactor);
      await audit.record(transaction, {
        actor: actorOf(caller, request),
        action,
        scope: { kind: 'account', id: account_id },
        units: units ?? [{ type: 'account', id: account_id }],
      });
      if (account.email !== null) {
        const notice = { kind: 'second_factor_changed', address: account.email };
        await mail.enqueue(transaction, { ...notice, subject_id: account_id });
      }
      await onChanged?.(transaction, recoveryCodes);
      return recoveryCodes;
    });
    mail.wake();
    return codes;
  };
}

/** Factors that were removed, each with its account. */
export interface DroppedFactors {
  passkeys: readonly { account_id: string }[];
  authenticator_apps: readonly { account_id: string }[];
}

/**
 * Removes the factors that were added to each account at or after `since`, and returns them; all
 * accounts must be locked.
 */
export async function dropFactorsSince(
  transaction: Queryable,
  added: readonly AddedSince[],
): Promise<DroppedFactors> {
  const authenticator_apps = await dropTotpSince(transaction, added);
  const passkeys = await dropPasskeysSince(transaction, added);
  await dropUnneededRecoveryCodes(
    transaction,
    added.map(({ account_id }) => account_id),
  );
  return { passkeys, authenticator_apps };
}

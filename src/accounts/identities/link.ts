import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import { newId } from '../../platform/ids.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Person, Provider } from '../providers/provider.ts';
import { SignInRefused } from '../providers/refused.ts';
import { lockAccountBySession } from '../store.ts';
import { findIdentity, insertIdentity } from './store.ts';

const MAX_ATTEMPTS = 4;

/** A concurrent transaction inserted or deleted the row that this one relied on: retry. */
export class IdentityConflict extends Error {}

/**
 * Runs `work`, up to four times while it throws `IdentityConflict`, then throws 503. Unique
 * constraints decide every race, so the loser finds the winner's row on retry.
 */
export async function retryOnConflict<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof IdentityConflict)) throw error;
      if (attempt === MAX_ATTEMPTS)
        throw unavailable('gave up after concurrent updates of the same identity', error);
    }
  }
}

/** A person just authenticated by a provider. */
export interface AuthenticatedPerson {
  provider: Pick<Provider, 'id'>;
  person: Person;
  request: RequestFacts;
}

/** The account a person is linked to. */
export interface LinkTarget {
  account_id: string;
  /** Address to notify; null if the account is new or has no address. */
  email: string | null;
  /** Session that requested the link; null for a sign-in. */
  session_id: string | null;
}

export type Link = (
  transaction: Transaction,
  authenticated: AuthenticatedPerson,
  target: LinkTarget,
) => Promise<void>;

/** Links a person to an account; throws `IdentityConflict` if the person is already linked. */
export function createLink({ audit, mail }: Pick<AccountsParts, 'audit' | 'mail'>): Link {
  return async function link(transaction, { provider, person, request }, target) {
    const { account_id, email, session_id } = target;
    const { issuer, subject } = person;
    const id = newId();
    const identity = { id, account_id, provider: provider.id, issuer, subject };
    if (!(await insertIdentity(transaction, identity))) throw new IdentityConflict();
    await audit.record(transaction, {
      actor: personActor(account_id, request, session_id),
      action: 'identity.link',
      scope: { kind: 'account', id: account_id },
      units: [{ type: 'identity', id }],
      detail: { provider: provider.id },
    });
    if (email === null) return;
    await mail.enqueue(transaction, { kind: 'sign_in_linked', address: email, subject_id: id });
  };
}

/** Links the person to the account of the requesting session; opens no other session. */
export function createAttach(parts: AccountsParts) {
  const { database, mail } = parts;
  const link = createLink(parts);
  return async function attach(
    authenticated: AuthenticatedPerson,
    session_id: string,
  ): Promise<void> {
    await retryOnConflict(() =>
      database.transaction(async (transaction) => {
        const account = await lockAccountBySession(transaction, session_id);
        if (account === null) throw new SignInRefused('expired');
        const { id: account_id, email } = account;
        const known = await findIdentity(transaction, authenticated.person);
        if (known !== null && known.account_id !== account_id)
          throw new SignInRefused('linked_elsewhere', account_id);
        if (known === null)
          await link(transaction, authenticated, { account_id, email, session_id });
      }),
    );
    mail.wake();
  };
}

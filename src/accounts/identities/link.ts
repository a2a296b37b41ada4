import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Person, Provider } from '../providers/provider.ts';
import { SignInRefused } from '../providers/refused.ts';
import { Overtaken, settled } from './overtaken.ts';
import { holdBySession } from '../store.ts';
import { findIdentity, insertIdentity } from './store.ts';

/** Somebody whom a provider has just vouched for. */
export interface Arriving {
  provider: Provider;
  person: Person;
  request: RequestFacts;
}

/** To whom a person is linked. */
export interface Linking {
  account_id: string;
  /** Whom to tell; null: nobody was there before. */
  email: string | null;
  /** Of the person who asked for it; null: a sign-in. */
  session_id: string | null;
}

export type Link = (
  transaction: Transaction,
  arriving: Arriving,
  linking: Linking,
) => Promise<void>;

/** Makes a provider's person a way into an account; throws `Overtaken` if it is one already. */
export function createLink({ audit, mail }: Pick<AccountsParts, 'audit' | 'mail'>): Link {
  return async function link(transaction, { provider, person, request }, linking) {
    const { account_id, email, session_id } = linking;
    const { issuer, subject } = person;
    const id = newId();
    const identity = { id, account_id, provider: provider.id, issuer, subject };
    if (!(await insertIdentity(transaction, identity))) throw new Overtaken();
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

/** Adds the person to the account of a session that asked for it; opens no other session. */
export function createAttach(parts: AccountsParts) {
  const { database, mail } = parts;
  const link = createLink(parts);
  return async function attach(arriving: Arriving, session_id: string): Promise<void> {
    await settled(() =>
      database.transaction(async (transaction) => {
        const account = await holdBySession(transaction, session_id);
        if (account === null) throw new SignInRefused('expired');
        const { id: account_id, email } = account;
        const known = await findIdentity(transaction, arriving.person);
        if (known !== null && known.account_id !== account_id)
          throw new SignInRefused('linked_elsewhere', account_id);
        if (known === null) await link(transaction, arriving, { account_id, email, session_id });
      }),
    );
    mail.wake();
  };
}

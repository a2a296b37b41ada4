import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { fallbackLanguage, preferredLanguage, supportedLanguages } from '../../texts/languages.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import type { AccountsParts } from '../dependencies.ts';
import { SignInRefused } from '../providers/refused.ts';
import { lockRegistrations, settleRegistrations } from '../registration/store.ts';
import { isChallenged } from '../sign-in/entry.ts';
import type { Enter, Entered } from '../sign-in/entry.ts';
import { holdByEmail, insertProven } from '../store.ts';
import type { ProvenAccount } from '../store.ts';
import { createLink, Overtaken, settled } from './link.ts';
import type { Arriving } from './link.ts';
import { findIdentity, touchIdentity, wasUnlinked } from './store.ts';
import type { KnownIdentity } from './store.ts';

/**
 * Signs in a provider's person: to the linked account, to the account with their verified address,
 * or to a new one.
 */
export function createArrival(parts: AccountsParts & { enter: Enter }) {
  const { database, mail, authz } = parts;
  const link = createLink(parts);
  const admit = createAdmission(parts);

  /** Throws `SignInRefused`; nothing was saved then. */
  async function arrive(arriving: Arriving): Promise<Entered> {
    return settled(async () => {
      const known = await findIdentity(database.pool, arriving.person);
      if (known !== null) return signIn(known, arriving);
      return (await linkByAddress(arriving)) ?? (await create(arriving));
    });
  }

  function signIn(known: KnownIdentity, { request }: Arriving) {
    return database.transaction(async (transaction) => {
      const signedIn = await admit(transaction, known, request);
      if (!(await touchIdentity(transaction, known.id))) throw new Overtaken();
      return signedIn;
    });
  }

  /**
   * Links the person to the account with their address; null if there is none. An account's address
   * is always verified. The address alone does not replace a second factor, and does not restore an
   * identity that was unlinked.
   */
  async function linkByAddress(arriving: Arriving): Promise<Entered | null> {
    const { email } = arriving.person;
    if (email === null) return null;
    const signedIn = await database.transaction(async (transaction) => {
      const account = await holdByEmail(transaction, email);
      if (account === null) return null;
      const { id: account_id, sessions_ended } = account;
      const known = { account_id, sessions_ended };
      const entered = await admit(transaction, known, arriving.request);
      const subject = { account_id, ...arriving.person };
      if (isChallenged(entered) || (await wasUnlinked(transaction, subject)))
        throw new SignInRefused('link_in_session', account_id);
      await link(transaction, arriving, { account_id, email, session_id: null });
      return entered;
    });
    if (signedIn !== null) mail.wake();
    return signedIn;
  }

  async function create(arriving: Arriving): Promise<Entered> {
    const { person, request } = arriving;
    const { email, first_name, last_name } = person;
    const id = newId();
    const locale =
      person.locale ??
      preferredLanguage(request.accept_language, supportedLanguages) ??
      fallbackLanguage;
    return authz.change({
      actor: personActor(id, request),
      reason: 'account.create',
      writes: [{ kind: 'account', id }],
      creates: [{ kind: 'account', id }],
      objects: [{ object: `account:${id}`, subject: `user:${id}` }],
      targets: [{ type: 'account', id }],
      basis: null,
      async work(transaction) {
        const given = await insert(transaction, { id, email, first_name, last_name, locale });
        await parts.addPersonalSpace(transaction, id);
        // Unverified registrations of the address must not give access to this account.
        if (given !== null) {
          const gone = { account_id: id, email: given, registration_id: null };
          await settleRegistrations(transaction, gone);
        }
        await link(transaction, arriving, { account_id: id, email: null, session_id: null });
        return admit(transaction, { account_id: id, sessions_ended: 0 }, request);
      },
    });
  }

  return arrive;
}

function createAdmission({
  organizations,
  enter,
}: Pick<AccountsParts, 'organizations'> & { enter: Enter }) {
  return async function admit(
    transaction: Transaction,
    { account_id, sessions_ended }: Pick<KnownIdentity, 'account_id' | 'sessions_ended'>,
    request: RequestFacts,
  ): Promise<Entered> {
    if (await organizations.requiresSso(transaction, account_id))
      throw new SignInRefused('sso_required', account_id);
    const amr = ['fed'];
    const entered = await enter(transaction, { account_id, sessions_ended, amr, request });
    if (entered === null) throw new SignInRefused('failed', account_id);
    return entered;
  };
}

/**
 * Inserts the account and returns its address. An address that is reserved for its former owner is
 * not assigned: the account starts without one, and null is returned.
 */
async function insert(transaction: Transaction, account: ProvenAccount): Promise<string | null> {
  const { email } = account;
  if (email !== null) await lockRegistrations(transaction, email);
  if (await insertProven(transaction, account)) return email;
  if (email === null || (await holdByEmail(transaction, email))) throw new Overtaken();
  await insertProven(transaction, { ...account, email: null });
  return null;
}

import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { fallbackLanguage, preferredLanguage, supportedLanguages } from '../../texts/languages.ts';
import type { Language } from '../../texts/languages.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Person } from '../providers/provider.ts';
import { SignInRefused } from '../providers/refused.ts';
import { lockRegistrations, completeRegistrations } from '../registration/store.ts';
import { isSecondFactorRequired } from '../sign-in/complete-sign-in.ts';
import type { CompleteSignIn, SignInResult } from '../sign-in/complete-sign-in.ts';
import { lockAccountByEmail, insertThirdPartyAccount } from '../store.ts';
import type { ThirdPartyAccount } from '../store.ts';
import { createLink, IdentityConflict, retryOnConflict } from './link.ts';
import type { AuthenticatedPerson } from './link.ts';
import { findIdentity, touchIdentity, wasUnlinked } from './store.ts';
import type { KnownIdentity } from './store.ts';

/**
 * Signs in a person authenticated by a provider: to the linked account, to the account with their
 * verified address, or to a new one.
 */
export function createProviderSignIn(parts: AccountsParts & { completeSignIn: CompleteSignIn }) {
  const { database, mail, authz } = parts;
  const link = createLink(parts);
  const admit = createAdmission(parts);

  /** Saves nothing if it throws `SignInRefused`. */
  async function signInAtProvider(authenticated: AuthenticatedPerson): Promise<SignInResult> {
    return retryOnConflict(async () => {
      const known = await findIdentity(database.pool, authenticated.person);
      if (known !== null) return signIn(known, authenticated);
      return (await linkByAddress(authenticated)) ?? (await create(authenticated));
    });
  }

  function signIn(known: KnownIdentity, { request }: AuthenticatedPerson) {
    return database.transaction(async (transaction) => {
      const signedIn = await admit(transaction, known, request);
      if (!(await touchIdentity(transaction, known.id))) throw new IdentityConflict();
      return signedIn;
    });
  }

  /**
   * Links the person to the account with their address; returns null if there is none. An account's
   * address is always verified. The address alone does not replace a second factor, and does not
   * restore an identity that was unlinked.
   */
  async function linkByAddress(authenticated: AuthenticatedPerson): Promise<SignInResult | null> {
    const { email } = authenticated.person;
    if (email === null) return null;
    const signedIn = await database.transaction(async (transaction) => {
      const account = await lockAccountByEmail(transaction, email);
      if (account === null) return null;
      const { id: account_id, sessions_ended } = account;
      const known = { account_id, sessions_ended };
      const result = await admit(transaction, known, authenticated.request);
      const subject = { account_id, ...authenticated.person };
      if (isSecondFactorRequired(result) || (await wasUnlinked(transaction, subject)))
        throw new SignInRefused('link_in_session', account_id);
      await link(transaction, authenticated, { account_id, email, session_id: null });
      return result;
    });
    if (signedIn !== null) mail.wake();
    return signedIn;
  }

  async function create(authenticated: AuthenticatedPerson): Promise<SignInResult> {
    const { person, request } = authenticated;
    const { email, first_name, last_name } = person;
    const id = newId();
    const locale = localeOf(person, request);
    return authz.change({
      actor: personActor(id, request),
      reason: 'account.create',
      writes: [{ kind: 'account', id }],
      creates: [{ kind: 'account', id }],
      objects: [{ object: `account:${id}`, subject: `user:${id}` }],
      targets: [{ type: 'account', id }],
      basis: null,
      async work(transaction) {
        const address = await insert(transaction, { id, email, first_name, last_name, locale });
        await parts.addPersonalSpace(transaction, id);
        // Unverified registrations of the address must not give access to this account.
        if (address !== null) {
          const released = { account_id: id, email: address, registration_id: null };
          await completeRegistrations(transaction, released);
        }
        await link(transaction, authenticated, { account_id: id, email: null, session_id: null });
        return admit(transaction, { account_id: id, sessions_ended: 0 }, request);
      },
    });
  }

  return signInAtProvider;
}

/** Returns the language of the e-mails to a new account. */
export const localeOf = ({ locale }: Pick<Person, 'locale'>, request: RequestFacts): Language =>
  locale ?? preferredLanguage(request.accept_language, supportedLanguages) ?? fallbackLanguage;

/** The account of an identity, and when an older identity was added to it. */
type Admitted = Pick<KnownIdentity, 'account_id' | 'sessions_ended'> & {
  created_at?: string | null;
};

function createAdmission({
  organizations,
  completeSignIn,
}: Pick<AccountsParts, 'organizations'> & { completeSignIn: CompleteSignIn }) {
  return async function admit(
    transaction: Transaction,
    { account_id, sessions_ended, created_at = null }: Admitted,
    request: RequestFacts,
  ): Promise<SignInResult> {
    if (await organizations.requiresSso(transaction, account_id))
      throw new SignInRefused('sso_required', account_id);
    const amr = ['fed'];
    const attempt = { account_id, sessions_ended, amr, method_since: created_at, request };
    const result = await completeSignIn(transaction, attempt);
    if (result === null) throw new SignInRefused('failed', account_id);
    return result;
  };
}

/**
 * Inserts the account and returns its address. An address that is reserved for its former owner is
 * not assigned: the account starts without one, and null is returned.
 */
async function insert(
  transaction: Transaction,
  account: ThirdPartyAccount,
): Promise<string | null> {
  const { email } = account;
  if (email !== null) await lockRegistrations(transaction, email);
  if (await insertThirdPartyAccount(transaction, account)) return email;
  if (email === null || (await lockAccountByEmail(transaction, email)))
    throw new IdentityConflict();
  await insertThirdPartyAccount(transaction, { ...account, email: null });
  return null;
}

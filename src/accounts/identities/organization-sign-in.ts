import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import { languageAtSignUp } from '../../texts/languages.ts';
import type { AccountsParts } from '../dependencies.ts';
import { createManagedAccounts } from '../managed/managed.ts';
import { cleanName } from '../names.ts';
import type { Person } from '../providers/provider.ts';
import { SignInRefused } from '../providers/refused.ts';
import { isSecondFactorRequired } from '../sign-in/complete-sign-in.ts';
import type { CompleteSignIn, SignInSuccess } from '../sign-in/complete-sign-in.ts';
import { findStateByEmail, lockAccountByEmail } from '../store.ts';
import { createLink, IdentityConflict, retryOnConflict } from './link.ts';
import { localeOf } from './provider-sign-in.ts';
import { findIdentity, touchIdentity } from './store.ts';
import type { KnownIdentity } from './store.ts';

/** A person as the provider describes them, with an address that the organization may vouch for. */
export interface VouchedPerson {
  issuer: string;
  subject: string;
  /** Normalized. */
  email: string;
  first_name: string | null;
  last_name: string | null;
  /** A language tag as sent. */
  locale: string | null;
}

/** A sign-in of a person that an organization's identity provider has authenticated. */
export interface OrganizationSignIn {
  organization_id: string;
  connection_id: string;
  person: VouchedPerson;
  request: RequestFacts;
  /**
   * Throws `SignInRefused` unless the sign-in to this account is still allowed. It is called before
   * an account is linked by its address, and before every session.
   */
  approve(
    transaction: Transaction,
    account: { account_id: string; is_linked: boolean },
  ): Promise<void>;
  /**
   * Called before the session is opened: makes the person a member unless they are or were one, and
   * returns whether it did, in the transaction of these steps.
   */
  join(account_id: string, steps: JoinSteps): Promise<boolean>;
}

/** Further steps of the transaction in which a person becomes a member. */
export interface JoinSteps {
  /** Creates the account, if it does not exist yet. */
  createAccount?(transaction: Transaction): Promise<void>;
  /** Links an account that exists, which is locked. */
  link?(transaction: Transaction): Promise<void>;
}

const PROVIDER = { id: 'sso' };

/**
 * Signs in a person through their organization: to the linked account, to the account with their
 * address, or to a new one, which has no password and is managed by the organization. The identity
 * provider decides about further factors.
 */
export function createOrganizationSignIn(
  parts: AccountsParts & { completeSignIn: CompleteSignIn },
) {
  const { database, completeSignIn } = parts;
  const linkByAddress = createLinkByAddress(parts);
  const create = createManagedSignUp(parts);

  /** Returns the account of the person, which is linked or created if it is not known. */
  async function requireIdentity(signIn: OrganizationSignIn): Promise<KnownIdentity> {
    const known = await findIdentity(database.pool, signIn.person);
    if (known !== null) return known;
    if (!(await linkByAddress(signIn))) await create(signIn);
    const linked = await findIdentity(database.pool, signIn.person);
    if (linked === null) throw new IdentityConflict();
    return linked;
  }

  return function signInThroughOrganization(signIn: OrganizationSignIn): Promise<SignInSuccess> {
    return retryOnConflict(async () => {
      const known = await requireIdentity(signIn);
      const { account_id, sessions_ended } = known;
      await signIn.join(account_id, {});
      return database.transaction(async (transaction) => {
        await signIn.approve(transaction, { account_id, is_linked: true });
        const result = await completeSignIn(transaction, {
          ...{ account_id, sessions_ended, amr: ['sso'], request: signIn.request },
          sso_connection_id: signIn.connection_id,
        });
        if (result === null || isSecondFactorRequired(result))
          throw new SignInRefused('failed', account_id);
        if (!(await touchIdentity(transaction, known.id))) throw new IdentityConflict();
        return result;
      });
    });
  };
}

const cleaned = (person: VouchedPerson): Person => ({
  ...person,
  first_name: cleanName(person.first_name ?? undefined),
  last_name: cleanName(person.last_name ?? undefined),
  locale: person.locale === null ? null : languageAtSignUp(person.locale),
});

/**
 * Creates the function that links the account with the person's address, and tells its owner. A person
 * who is not a member becomes one in the same transaction: a link without a membership would never
 * end. It returns false if there is no such account.
 */
function createLinkByAddress(parts: AccountsParts) {
  const { database, mail } = parts;
  const link = createLink(parts);
  return async function linkByAddress(signIn: OrganizationSignIn): Promise<boolean> {
    const { request, approve } = signIn;
    const person = cleaned(signIn.person);
    const found = await findStateByEmail(database.pool, signIn.person.email);
    if (found === null) return false;
    const { id: account_id } = found;
    const linkAccount = async (transaction: Transaction): Promise<void> => {
      const account = await lockAccountByEmail(transaction, signIn.person.email);
      if (account?.id !== account_id) throw new IdentityConflict();
      const { email, status } = account;
      if (status !== 'active') throw new SignInRefused('failed', account_id);
      // A concurrent sign-in of the same person has linked it.
      if ((await findIdentity(transaction, person)) !== null) throw new IdentityConflict();
      await approve(transaction, { account_id, is_linked: false });
      const target = { account_id, email, session_id: null };
      await link(transaction, { provider: PROVIDER, person, request }, target);
    };
    if (!(await signIn.join(account_id, { link: linkAccount })))
      await database.transaction(linkAccount);
    mail.wake();
    return true;
  };
}

/** Creates the function that creates a person's account in the change that makes them a member. */
function createManagedSignUp(parts: AccountsParts) {
  const managed = createManagedAccounts(parts);
  const link = createLink(parts);
  return async function create(signIn: OrganizationSignIn): Promise<void> {
    const { organization_id, request } = signIn;
    const { email, first_name, last_name } = signIn.person;
    const id = newId();
    const person = cleaned(signIn.person);
    const language = localeOf(person, request);
    const account = { id, organization_id, email, first_name, last_name, language };
    const createAccount = async (transaction: Transaction): Promise<void> => {
      if (!(await managed.insert(transaction, account, personActor(id, request)))) {
        if (await lockAccountByEmail(transaction, email)) throw new IdentityConflict();
        // Its former holder may still take the address back.
        throw new SignInRefused('failed');
      }
      const target = { account_id: id, email: null, session_id: null };
      await link(transaction, { provider: PROVIDER, person, request }, target);
    };
    await signIn.join(id, { createAccount });
  };
}

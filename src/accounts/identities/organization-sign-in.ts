import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import { languageAtSignUp } from '../../texts/languages.ts';
import type { AccountsParts } from '../dependencies.ts';
import { cleanName } from '../names.ts';
import type { Person } from '../providers/provider.ts';
import { SignInRefused } from '../providers/refused.ts';
import { completeRegistrations, lockRegistrations } from '../registration/store.ts';
import { isSecondFactorRequired } from '../sign-in/complete-sign-in.ts';
import type { CompleteSignIn, SignInSuccess } from '../sign-in/complete-sign-in.ts';
import { insertManagedAccount, lockAccountByEmail } from '../store.ts';
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

/** A sign-in of a person whom an organization's identity provider has authenticated. */
export interface OrganizationSignIn {
  organization_id: string;
  person: VouchedPerson;
  request: RequestFacts;
  /**
   * Called in every transaction: throws `SignInRefused` unless the sign-in is still allowed. The
   * account is the one that would be linked by its address; null in all other cases.
   */
  approve(transaction: Transaction, linked: { account_id: string } | null): Promise<void>;
  /** Called before the session is opened: makes the person a member if they are new. */
  join(account_id: string): Promise<void>;
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
  const { database, mail, authz, completeSignIn } = parts;
  const link = createLink(parts);

  /** Links the account with the person's address, and tells its owner; null if there is none. */
  async function linkByAddress(signIn: OrganizationSignIn): Promise<string | null> {
    const { request, approve } = signIn;
    const person = cleaned(signIn.person);
    const linked = await database.transaction(async (transaction) => {
      const account = await lockAccountByEmail(transaction, signIn.person.email);
      if (account === null) return null;
      const { id: account_id, email, status } = account;
      if (status !== 'active') throw new SignInRefused('failed', account_id);
      await approve(transaction, { account_id });
      const target = { account_id, email, session_id: null };
      await link(transaction, { provider: PROVIDER, person, request }, target);
      return account_id;
    });
    if (linked !== null) mail.wake();
    return linked;
  }

  async function create(signIn: OrganizationSignIn): Promise<void> {
    const { organization_id, request, approve } = signIn;
    const { email } = signIn.person;
    const person = cleaned(signIn.person);
    const { first_name, last_name } = person;
    const id = newId();
    const account = { id, email, first_name, last_name, locale: localeOf(person, request) };
    await authz.change({
      actor: personActor(id, request),
      reason: 'account.create',
      writes: [{ kind: 'account', id }],
      creates: [{ kind: 'account', id }],
      objects: [{ object: `account:${id}`, subject: `user:${id}` }],
      targets: [{ type: 'account', id }],
      basis: null,
      async work(transaction) {
        await lockRegistrations(transaction, email);
        if (!(await insertManagedAccount(transaction, { ...account, organization_id }))) {
          if (await lockAccountByEmail(transaction, email)) throw new IdentityConflict();
          // Its former holder may still take the address back.
          throw new SignInRefused('failed');
        }
        await approve(transaction, null);
        await parts.addPersonalSpace(transaction, id);
        // Unverified registrations of the address must not give access to this account.
        const released = { account_id: id, email, registration_id: null };
        await completeRegistrations(transaction, released);
        const target = { account_id: id, email: null, session_id: null };
        await link(transaction, { provider: PROVIDER, person, request }, target);
      },
    });
  }

  /** Returns the account of the person, which is linked or created if it is not known. */
  async function requireIdentity(signIn: OrganizationSignIn): Promise<KnownIdentity> {
    const known = await findIdentity(database.pool, signIn.person);
    if (known !== null) return known;
    if ((await linkByAddress(signIn)) === null) await create(signIn);
    const linked = await findIdentity(database.pool, signIn.person);
    if (linked === null) throw new IdentityConflict();
    return linked;
  }

  return function signInThroughOrganization(signIn: OrganizationSignIn): Promise<SignInSuccess> {
    return retryOnConflict(async () => {
      const known = await requireIdentity(signIn);
      const { account_id, sessions_ended } = known;
      await signIn.join(account_id);
      return database.transaction(async (transaction) => {
        await signIn.approve(transaction, null);
        const attempt = { account_id, sessions_ended, amr: ['sso'], request: signIn.request };
        const result = await completeSignIn(transaction, attempt);
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

import { ConcurrentUpdate } from '../../authz/authz.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { domainOf, normalizeAddress } from '../../platform/text/address.ts';
import type { ScimRequest } from '../request.ts';
import type { UserChangesDependencies } from './dependencies.ts';
import type { UserEdit } from './edit.ts';
import { addressTaken, alreadyProvisioned, domainNotVerified, ownerAddress } from './rules.ts';
import { findUser, updateUser } from './store.ts';
import type { UserAttributes, UserRow } from './store.ts';

const fields = [
  'user_name',
  'external_id',
  'given_name',
  'family_name',
  'display_name',
] as const satisfies readonly (keyof UserAttributes)[];

/** The state that an edit is decided on; it must not have changed when the edit is saved. */
const basis = [
  ...fields,
  'email',
  'is_created',
  'is_managed',
] as const satisfies readonly (keyof UserRow)[];

/**
 * An account without a member is the person's, and so is one that the organization does not manage,
 * such as its Owner's.
 */
const mayChangeAccount = ({ is_managed, active }: UserRow, edit: UserEdit): boolean =>
  is_managed && (edit.active ?? active);

/** Creates the function that prepares saving what an edit sets of a user and the account. */
export function createSaving({
  database: { pool },
  accounts,
  isVerifiedDomain,
}: Pick<UserChangesDependencies, 'database' | 'accounts' | 'isVerifiedDomain'>) {
  /** Returns the new address of an account; null if it stays. */
  async function newAddress(request: ScimRequest, user: UserRow, edit: UserEdit) {
    const isActive = edit.active ?? user.active;
    if (!user.is_created || !isActive || !request.directory.may_change_emails) return null;
    const isFromName = user.email === user.user_name && edit.user_name !== undefined;
    const email = edit.email ?? (isFromName ? normalizeAddress(edit.user_name!) : null);
    if (email === null || email === user.email) return null;
    const { id } = request.directory.organization;
    if (!(await isVerifiedDomain(pool, id, domainOf(email)))) throw domainNotVerified(email);
    // Anyone who controls the address can sign in with it through a third-party provider.
    if (!user.is_managed) throw ownerAddress();
    return email;
  }

  /**
   * Returns the names of the fields that change, and what saves them and returns the user as stored
   * before. Throws `ConcurrentUpdate` if another request has changed the user in the meantime.
   */
  return async function savingOf(request: ScimRequest, user: UserRow, edit: UserEdit) {
    const email = await newAddress(request, user, edit);
    const attributes = Object.fromEntries(
      fields.map((field) => [field, edit[field] === undefined ? user[field] : edit[field]]),
    ) as unknown as UserAttributes;
    const changed: string[] = fields.filter((field) => attributes[field] !== user[field]);
    const isRenamed = changed.includes('given_name') || changed.includes('family_name');
    const { account_id: id, membership_id } = user;
    const { id: organization_id } = request.directory.organization;
    return {
      changed: email === null ? changed : [...changed, 'email'],
      async save(transaction: Transaction): Promise<UserRow> {
        const current = await findUser(transaction, { organization_id, account_id: id });
        if (current === null) throw absent('deleted concurrently');
        const isSame = basis.every((field) => current[field] === user[field]);
        if (!isSame || current.active !== (edit.active ?? user.active))
          throw new ConcurrentUpdate();
        if (!(await updateUser(transaction, membership_id, attributes))) throw alreadyProvisioned();
        const { given_name: first_name, family_name: last_name } = attributes;
        if (isRenamed && mayChangeAccount(user, edit))
          await accounts.rename(transaction, id, { first_name, last_name });
        if (email !== null && !(await accounts.changeEmail(transaction, { id, email })))
          throw addressTaken();
        return current;
      },
    };
  };
}

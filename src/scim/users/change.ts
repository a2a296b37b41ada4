import { ConcurrentUpdate } from '../../authz/authz.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { normalizeAddress } from '../../platform/text/address.ts';
import { authorityOf } from '../request.ts';
import type { ScimRequest } from '../request.ts';
import type { UserChangesDependencies } from './create.ts';
import type { UserEdit } from './edit.ts';
import { addressTaken, alreadyProvisioned, domainNotProved, domainOf } from './rules.ts';
import { deleteUser, findUser, updateUser } from './store.ts';
import type { UserAttributes, UserRow } from './store.ts';

const fields = [
  'user_name',
  'external_id',
  'given_name',
  'family_name',
  'display_name',
] as const satisfies readonly (keyof UserAttributes)[];

/** Creates the functions that change, deactivate, activate and delete users. */
export function createUserChanges(dependencies: UserChangesDependencies) {
  const { database, authz, members, accounts, isProvedDomain } = dependencies;
  const { pool } = database;

  /** Returns the new address of an account that the organization manages; null if it stays. */
  async function newAddress(request: ScimRequest, user: UserRow, edit: UserEdit) {
    // Only the owner of a personal account changes its address.
    if (!user.is_managed) return null;
    const isFromName = user.email === user.user_name && edit.user_name !== undefined;
    const email = edit.email ?? (isFromName ? normalizeAddress(edit.user_name!) : null);
    if (email === null || email === user.email) return null;
    const { id } = request.directory.organization;
    if (!(await isProvedDomain(pool, id, domainOf(email)))) throw domainNotProved(email);
    return email;
  }

  /** Returns the names of the fields that change, and what saves them. */
  async function savingOf(request: ScimRequest, user: UserRow, edit: UserEdit) {
    const email = await newAddress(request, user, edit);
    const attributes = Object.fromEntries(
      fields.map((field) => [field, edit[field] === undefined ? user[field] : edit[field]]),
    ) as unknown as UserAttributes;
    const changed: string[] = fields.filter((field) => attributes[field] !== user[field]);
    const isRenamed = changed.includes('given_name') || changed.includes('family_name');
    const { account_id: id, membership_id } = user;
    return {
      changed: email === null ? changed : [...changed, 'email'],
      async save(transaction: Transaction) {
        const outcome = await updateUser(transaction, membership_id, attributes);
        if (outcome === 'deleted') throw absent('deleted concurrently');
        if (outcome === 'taken') throw alreadyProvisioned();
        const { given_name: first_name, family_name: last_name } = attributes;
        if (isRenamed && user.is_managed)
          await accounts.rename(transaction, id, { first_name, last_name });
        if (email !== null && !(await accounts.readdress(transaction, { id, email })))
          throw addressTaken();
      },
    };
  }

  /** Ends the membership and the sessions of an active user. */
  async function end(
    request: ScimRequest,
    user: UserRow,
    also: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    const { id: organization_id } = request.directory.organization;
    const { account_id, email } = user;
    const member = await members.findMember(pool, { organization_id, account_id });
    if (member === null) throw new ConcurrentUpdate();
    await members.end(member, authorityOf(request), {
      reason: 'member.deactivate',
      async also(transaction) {
        await accounts.endSessions(transaction, account_id);
        if (email !== null)
          await members.revokeInvitationsTo(transaction, { organization_id, email });
        await also(transaction);
      },
    });
  }

  /** Makes an inactive user a member again, with the seats of the groups that the user is in. */
  async function activate(
    request: ScimRequest,
    user: UserRow,
    save: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    const { id: organization_id } = request.directory.organization;
    const key = { organization_id, account_id: user.account_id };
    const idsOf = ({ groups }: Pick<UserRow, 'groups'>) => groups.map(({ id }) => id);
    await members.join(key, idsOf(user), authorityOf(request), {
      async complete(transaction) {
        const current = await findUser(transaction, key);
        if (current === null) throw absent('deleted concurrently');
        if (idsOf(current).join() !== idsOf(user).join()) throw new ConcurrentUpdate();
        await save(transaction);
      },
    });
  }

  const editOf = (request: ScimRequest, { account_id }: UserRow) => ({
    ...authorityOf(request),
    writes: [{ kind: 'organization', id: request.directory.organization.id }] as const,
    targets: [{ type: 'account', id: account_id }],
  });

  return {
    async change(request: ScimRequest, user: UserRow, edit: UserEdit): Promise<void> {
      const { changed, save } = await savingOf(request, user, edit);
      const { active = user.active } = edit;
      if (user.active && !active) return end(request, user, save);
      if (!user.active && active) return activate(request, user, save);
      if (changed.length === 0) return;
      await authz.edit({
        ...editOf(request, user),
        reason: 'scim_user.update',
        work: save,
        // The audit log is never erased, so it must not contain personal data.
        detail: () => ({ fields: changed }),
      });
    },
    async remove(request: ScimRequest, user: UserRow): Promise<void> {
      const work = (transaction: Transaction) => deleteUser(transaction, user.membership_id);
      if (user.active) return end(request, user, work);
      await authz.edit({ ...editOf(request, user), reason: 'scim_user.delete', work });
    },
  };
}

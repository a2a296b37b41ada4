import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { domainOf } from '../../platform/text/address.ts';
import { authorityOf } from '../request.ts';
import type { ScimRequest } from '../request.ts';
import type { UserChangesDependencies } from './dependencies.ts';
import { createDeactivation } from './deactivate.ts';
import type { UserEdit } from './edit.ts';
import { ownDomainNotVerified } from './rules.ts';
import { createSaving } from './saving.ts';
import { deleteUser } from './store.ts';
import type { UserRow } from './store.ts';

/** Creates the functions that change, deactivate, activate and delete users. */
export function createUserChanges(dependencies: UserChangesDependencies) {
  const { authz, members, isVerifiedDomain } = dependencies;
  const { pool } = dependencies.database;
  const deactivate = createDeactivation(dependencies);
  const savingOf = createSaving(dependencies);

  const isVerified = async (organization_id: string, email: string | null) =>
    email !== null && isVerifiedDomain(pool, organization_id, domainOf(email));

  /** Makes an inactive user a member again, with the seats of the groups that the user is in. */
  async function activate(
    request: ScimRequest,
    user: UserRow,
    save: (transaction: Transaction) => Promise<UserRow>,
  ): Promise<void> {
    const { id: organization_id } = request.directory.organization;
    const { account_id, email, is_created } = user;
    const key = { organization_id, account_id };
    // As when it was created; the account's address may have changed since. `save` reads it again.
    if (!is_created && !(await isVerified(organization_id, email))) throw ownDomainNotVerified();
    const idsOf = ({ groups }: Pick<UserRow, 'groups'>) => groups.map(({ id }) => id);
    await members.join(key, idsOf(user), authorityOf(request), {
      async complete(transaction) {
        const current = await save(transaction);
        if (idsOf(current).join() !== idsOf(user).join()) throw new ConcurrentUpdate();
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
      if (user.active && !active) return deactivate(request, user, save);
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
      if (user.active) return deactivate(request, user, work);
      await authz.edit({ ...editOf(request, user), reason: 'scim_user.delete', work });
    },
  };
}

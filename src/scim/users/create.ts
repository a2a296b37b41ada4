import { newId } from '../../platform/ids.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { domainOf, normalizeAddress } from '../../platform/text/address.ts';
import { invalidValue } from '../operations.ts';
import { authorityOf } from '../request.ts';
import type { ScimRequest } from '../request.ts';
import type { UserChangesDependencies } from './dependencies.ts';
import type { UserDraft } from './edit.ts';
import { createAccountCreation } from './account.ts';
import { createDeactivation } from './deactivate.ts';
import { alreadyProvisioned, domainNotVerified } from './rules.ts';
import { findAccountByEmail, hasUserNamed, insertUser } from './store.ts';

/**
 * Creates the function that creates a user and returns the id of the account: a new one, which the
 * organization manages, or the one that has the address, which must be in a verified domain.
 */
export function createUserCreation({
  database: { pool },
  authz,
  members,
  accounts,
  isVerifiedDomain,
  wakeMail,
}: UserChangesDependencies) {
  const deactivate = createDeactivation({ database: { pool }, members, accounts });
  const createAccountOf = createAccountCreation({ accounts });

  return async function create(request: ScimRequest, draft: UserDraft): Promise<string> {
    const { id: organization_id } = request.directory.organization;
    const email = draft.email ?? normalizeAddress(draft.user_name);
    if (email === null) throw invalidValue('emails', 'present unless userName is an address');
    if (await hasUserNamed(pool, organization_id, draft.user_name)) throw alreadyProvisioned();
    if (!(await isVerifiedDomain(pool, organization_id, domainOf(email))))
      throw domainNotVerified(email);

    const account = await findAccountByEmail(pool, email);
    const account_id = account?.id ?? newId();
    const key = { organization_id, account_id };
    const isActive = draft.active ?? true;
    const save = async (transaction: Transaction, membership_id: string) => {
      if (!(await insertUser(transaction, { membership_id, organization_id }, draft)))
        throw alreadyProvisioned();
    };

    const member = account && (await members.findMember(pool, key));
    if (member !== null) {
      const adopt = (transaction: Transaction) => save(transaction, member.id);
      if (!isActive) await deactivate(request, { account_id, email }, adopt);
      else
        await authz.edit({
          ...authorityOf(request),
          reason: 'scim_user.create',
          writes: [{ kind: 'organization', id: organization_id }],
          targets: [{ type: 'account', id: account_id }],
          work: adopt,
        });
      return account_id;
    }
    const authority = authorityOf(request);
    await members.join(key, [], authority, {
      ...(account === null
        ? { createAccount: createAccountOf(request, draft, { account_id, email }) }
        : {}),
      async complete(transaction, membership_id) {
        await save(transaction, membership_id);
        const membership = { id: membership_id, ...key };
        if (!isActive) await members.endAtOnce(transaction, membership, authority.actor);
        else if (account !== null && account.managed_by !== organization_id)
          await accounts.notifyAdded(transaction, { id: account_id, email });
      },
    });
    wakeMail();
    return account_id;
  };
}

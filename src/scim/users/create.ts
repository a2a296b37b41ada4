import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authz } from '../../authz/authz.ts';
import type { ManagedAccounts } from '../../accounts/accounts.ts';
import type { DirectoryChanges } from '../../organizations/organizations.ts';
import { newId } from '../../platform/ids.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { normalizeAddress } from '../../platform/text/address.ts';
import { invalidValue } from '../operations.ts';
import { authorityOf } from '../request.ts';
import type { ScimRequest } from '../request.ts';
import type { UserDraft } from './edit.ts';
import { addressTaken, alreadyProvisioned, domainNotProved, domainOf } from './rules.ts';
import type { IsProvedDomain } from './rules.ts';
import { findAccountByEmail, hasUserNamed, insertUser } from './store.ts';
import type { UserAttributes } from './store.ts';

export interface UserChangesDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
  members: DirectoryChanges;
  accounts: ManagedAccounts;
  isProvedDomain: IsProvedDomain;
  /** Sends queued e-mails now. */
  wakeMail(): void;
}

/**
 * Creates the function that creates a user and returns the id of the account: a new one, which the
 * organization manages, or the one that has the address, which must be in a proved domain.
 */
export function createUserCreation({
  database: { pool },
  authz,
  members,
  accounts,
  isProvedDomain,
  wakeMail,
}: UserChangesDependencies) {
  return async function create(request: ScimRequest, draft: UserDraft): Promise<string> {
    const { id: organization_id } = request.directory.organization;
    const email = draft.email ?? normalizeAddress(draft.user_name);
    if (email === null) throw invalidValue('emails', 'present unless userName is an address');
    if (await hasUserNamed(pool, organization_id, draft.user_name)) throw alreadyProvisioned();
    if (!(await isProvedDomain(pool, organization_id, domainOf(email))))
      throw domainNotProved(email);

    const account = await findAccountByEmail(pool, email);
    const account_id = account?.id ?? newId();
    const key = { organization_id, account_id };
    const user: UserAttributes = { ...cleared, ...draft };
    const isActive = draft.active ?? true;
    const save = async (transaction: Transaction, membership_id: string) => {
      if (!(await insertUser(transaction, { membership_id, organization_id }, user)))
        throw alreadyProvisioned();
    };

    const member = account && (await members.findMember(pool, key));
    if (member !== null) {
      await adopt(request, { member, isActive, save });
      return account_id;
    }
    await members.join(key, [], authorityOf(request), {
      ...(account === null
        ? {
            async createAccount(transaction) {
              const names = { first_name: user.given_name, last_name: user.family_name };
              const isInserted = await accounts.insert(
                transaction,
                { ...key, ...names, id: account_id, email, language: draft.language ?? null },
                request.actor,
              );
              if (isInserted) return;
              if (await findAccountByEmail(transaction, email)) throw new ConcurrentUpdate();
              throw addressTaken();
            },
          }
        : {}),
      async complete(transaction, membership_id) {
        await save(transaction, membership_id);
        if (!isActive) return members.endAtOnce(transaction, membership_id);
        if (account !== null && account.managed_by !== organization_id)
          await accounts.notifyAdded(transaction, { id: account_id, email });
      },
    });
    wakeMail();
    return account_id;
  };

  /** Puts a member under the directory's management. */
  async function adopt(
    request: ScimRequest,
    {
      member,
      isActive,
      save,
    }: {
      member: NonNullable<Awaited<ReturnType<DirectoryChanges['findMember']>>>;
      isActive: boolean;
      save(transaction: Transaction, membership_id: string): Promise<void>;
    },
  ): Promise<void> {
    const { id, organization_id, account_id } = member;
    const also = (transaction: Transaction) => save(transaction, id);
    if (!isActive)
      return members.end(member, authorityOf(request), { reason: 'member.deactivate', also });
    await authz.edit({
      ...authorityOf(request),
      reason: 'scim_user.create',
      writes: [{ kind: 'organization', id: organization_id }],
      targets: [{ type: 'account', id: account_id }],
      work: also,
    });
  }
}

const cleared = { external_id: null, given_name: null, family_name: null, display_name: null };

import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { ManagedAccounts } from '../../accounts/accounts.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { ScimRequest } from '../request.ts';
import type { UserDraft } from './edit.ts';
import { addressTaken } from './rules.ts';
import { findAccountByEmail } from './store.ts';

/** Creates the function that creates the account of a new user in a transaction. */
export const createAccountCreation =
  ({ accounts }: { accounts: ManagedAccounts }) =>
  (
    { directory, actor }: ScimRequest,
    { given_name, family_name, language = null }: UserDraft,
    { account_id, email }: { account_id: string; email: string },
  ) =>
  async (transaction: Transaction): Promise<void> => {
    const isInserted = await accounts.insert(
      transaction,
      {
        ...{ id: account_id, organization_id: directory.organization.id, email, language },
        ...{ first_name: given_name, last_name: family_name },
      },
      actor,
    );
    if (isInserted) return;
    // Another request was first: decide again. Otherwise the address is reserved.
    if (await findAccountByEmail(transaction, email)) throw new ConcurrentUpdate();
    throw addressTaken();
  };

import { isUuid } from '../../platform/ids.ts';
import { normalizeAddress } from '../../platform/text/address.ts';
import type { AccountsParts } from '../dependencies.ts';
import { findAccountState, findStateByEmail } from '../store.ts';

/** Returns a function that finds the account an operator names by id or address. */
export const createFindAccount = ({ pool }: Pick<AccountsParts['database'], 'pool'>) =>
  async function findAccount(idOrEmail: string) {
    if (isUuid(idOrEmail)) return findAccountState(pool, idOrEmail);
    const email = normalizeAddress(idOrEmail);
    return email === null ? null : findStateByEmail(pool, email);
  };

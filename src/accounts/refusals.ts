import type { Queryable } from '../platform/postgres/database.ts';
import { forbidden, invalidCredential, unprocessable } from '../platform/errors/refusal.ts';
import { isManagedAccount } from './managed/store.ts';
import { hasLastingSignInMethod } from './sso-access/store.ts';
import { hasSignInMethod } from './store.ts';

export const accountDeleted = () =>
  invalidCredential('the account or the session ended during the request');

/** Builds the same error for every unusable link: wrong, expired, used or superseded. */
export const tokenInvalid = () =>
  unprocessable('token_invalid', 'This link is invalid or has expired. Request a new one.', {
    detail: { pointer: '/token' },
  });

/**
 * Throws 422 if an account, which must be locked, has lost its last way to sign in; or the last that
 * stays when its memberships end. It had the lost one since `removed`.
 */
export async function requireSignInMethod(
  transaction: Queryable,
  accountId: string,
  removed: string,
): Promise<void> {
  if (!(await hasSignInMethod(transaction, accountId)))
    throw unprocessable(
      'last_way_in',
      'This is your only way to sign in. Set a password or add another.',
    );
  if (!(await hasLastingSignInMethod(transaction, { id: accountId, removed })))
    throw unprocessable(
      'last_way_in',
      'This is the only way to sign in that you keep when you leave your organization.',
    );
}

/** Throws 403 if the account belongs to an organization, which alone may do this. */
export async function requireNotManaged(db: Queryable, accountId: string): Promise<void> {
  if (await isManagedAccount(db, accountId))
    throw forbidden(
      'managed_by_organization',
      'Your organization manages this account. Ask its administrators to do this.',
    );
}

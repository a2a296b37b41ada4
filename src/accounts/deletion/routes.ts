import { defineRoute, noContent } from '../../caller/route.ts';
import { managedErrors, ownSignInErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { clearedCookies } from '../sessions/cookies.ts';
import { AccountDeletion } from '../schema.ts';

export const deletionRoutes = (accounts: Pick<Accounts, 'deleteAccount' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'DELETE',
    path: '/api/user/account',
    access: { interactive: 'ownership' },
    reauthentication: 'first',
    operation_id: 'deleteAccount',
    summary: 'Delete your account',
    description: 'Deletes all its data permanently.',
    tag: 'Account data',
    body: AccountDeletion,
    responses: { 204: null },
    errors: [{ 422: ['confirmation_mismatch', 'last_owner'] }, managedErrors, ownSignInErrors],
    async handle({ caller, body, reauthentication, request }) {
      await accounts.deleteAccount(caller, body, reauthentication, request);
      return { ...noContent(), cookies: clearedCookies(accounts.cookies) };
    },
  }),
];

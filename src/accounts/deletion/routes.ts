import { defineRoute, noContent } from '../../caller/route.ts';
import { managedErrors, reauthenticationErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { clearedCookies } from '../sessions/cookies.ts';
import { AccountDeletion } from '../schema.ts';

export const deletionRoutes = (accounts: Pick<Accounts, 'deleteAccount' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'DELETE',
    path: '/api/user/account',
    access: { interactive: 'ownership' },
    operation_id: 'deleteAccount',
    summary: 'Delete the account and all its data permanently',
    tag: 'Account',
    body: AccountDeletion,
    responses: { 204: null },
    errors: [
      { ...reauthenticationErrors, 422: ['confirmation_mismatch', 'last_owner'] },
      managedErrors,
    ],
    async handle({ caller, body, request }) {
      await accounts.deleteAccount(caller, body, request);
      return { ...noContent(), cookies: clearedCookies(accounts.cookies) };
    },
  }),
];

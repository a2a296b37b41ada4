import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { AccountExport } from '../schema.ts';

const ATTACHMENT = { 'content-disposition': 'attachment; filename="toolgate-account.json"' };

export const exportRoutes = ({ exportAccount }: Pick<Accounts, 'exportAccount'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/user/export',
    access: { interactive: 'manage_account' },
    operation_id: 'exportAccount',
    summary: 'Export all of the account’s data, without secrets',
    tag: 'Account',
    responses: { 200: AccountExport },
    handle: async ({ caller, request }) => ({
      ...ok(undefined),
      pieces: await exportAccount(caller, request),
      headers: ATTACHMENT,
    }),
  }),
];

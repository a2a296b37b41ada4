import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { AccountExport } from '../schema.ts';

const ATTACHMENT = { 'content-disposition': 'attachment; filename="toolgate-account.json"' };

export const exportRoutes = ({ exportOwn }: Pick<Accounts, 'exportOwn'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/user/export',
    access: { interactive: 'manage_account' },
    operation_id: 'exportAccount',
    summary: 'Export all data of the account without secrets',
    tag: 'Account',
    responses: { 200: AccountExport },
    handle: async ({ caller, request }) => ({
      ...ok(undefined),
      pieces: await exportOwn(caller, request),
      headers: ATTACHMENT,
    }),
  }),
];

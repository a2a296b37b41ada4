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
    summary: 'Export your account',
    description:
      'Returns all data of the account as a JSON file, without secrets. Lists have at most the newest 10 000 rows.',
    tag: 'Account data',
    responses: { 200: AccountExport },
    long_reply: 'file',
    handle: async ({ caller, request }) => ({
      ...ok(undefined),
      pieces: await exportAccount(caller, request),
      headers: ATTACHMENT,
    }),
  }),
];

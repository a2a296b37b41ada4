import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { Account, ProfileEdit } from '../schema.ts';

export const profileRoutes = ({ profile }: Pick<Accounts, 'profile'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/user/profile',
    access: { interactive: 'manage_account' },
    operation_id: 'getProfile',
    summary: 'Get your profile',
    tag: 'Profile',
    responses: { 200: Account },
    handle: async ({ caller }) => ok(await profile.read(caller)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/user/profile',
    access: { interactive: 'manage_account' },
    operation_id: 'updateProfile',
    summary: 'Change your profile',
    tag: 'Profile',
    body: ProfileEdit,
    responses: { 200: Account },
    errors: { 400: ['invalid_locale', 'invalid_name', 'unsupported_locale'] },
    handle: async ({ caller, body, request }) => ok(await profile.update(caller, body, request)),
  }),
];

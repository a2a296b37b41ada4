import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import {
  AccountSettings,
  CallPage,
  CallQuery,
  Dashboard,
  SettingsEdit,
  UsageReport,
} from './schema.ts';
import type { Usage } from './usage.ts';

export const usageRoutes = (usage: Usage): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/usage',
    access: { on: 'account', permission: 'usage_read' },
    summary: 'What is used of each limit, and what this month’s calls were of',
    tag: 'Usage',
    responses: { 200: UsageReport },
    handle: async ({ caller }) => ok(await usage.report(caller)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/dashboard',
    access: { on: 'account', permission: 'dashboard_read' },
    summary: 'Counts of what the account has, and its calls of the last 30 days',
    tag: 'Usage',
    responses: { 200: Dashboard },
    handle: async ({ caller }) => ok(await usage.dashboard(caller)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/calls',
    access: { interactive: 'manage_account' },
    summary: 'Every call of the account’s agents, refused ones too, newest first',
    tag: 'Usage',
    query: CallQuery,
    responses: { 200: CallPage },
    handle: async ({ caller, query }) => ok(await usage.calls(caller, query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/settings',
    access: { on: 'account', permission: 'settings_write' },
    summary: 'What is kept of calls',
    tag: 'Usage',
    responses: { 200: AccountSettings },
    handle: async ({ caller }) => ok(await usage.settings(caller)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/me/settings',
    access: { on: 'account', permission: 'settings_write' },
    summary: 'Changes what is kept of calls; what is not sent stays',
    tag: 'Usage',
    body: SettingsEdit,
    responses: { 200: AccountSettings },
    handle: async ({ caller, body, request }) => ok(await usage.update(caller, body, request)),
  }),
];

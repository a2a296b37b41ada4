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
import { organizationUsageRoutes } from './organizations/routes.ts';
import type { RequireInside } from './organizations/routes.ts';
import type { Usage } from './usage.ts';

export const usageRoutes = (usage: Usage, requireInside: RequireInside): Route[] => [
  ...organizationUsageRoutes(usage, requireInside),
  defineRoute({
    method: 'GET',
    path: '/api/me/usage',
    access: { on: 'account', permission: 'usage_read' },
    operation_id: 'getUsage',
    summary: 'Show usage of each limit and this month’s calls by item',
    tag: 'Usage',
    responses: { 200: UsageReport },
    handle: async ({ caller }) => ok(await usage.report(caller)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/dashboard',
    access: { on: 'account', permission: 'dashboard_read' },
    operation_id: 'getDashboard',
    summary: 'Show counts of the account and its calls in the last 30 days',
    tag: 'Usage',
    responses: { 200: Dashboard },
    handle: async ({ caller }) => ok(await usage.dashboard(caller)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/calls',
    access: { interactive: 'manage_account' },
    operation_id: 'listCalls',
    summary: 'List calls, including rejected ones, newest first',
    tag: 'Usage',
    query: CallQuery,
    responses: { 200: CallPage },
    handle: async ({ caller, query }) => ok(await usage.calls(caller, query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/settings',
    access: { on: 'account', permission: 'settings_write' },
    operation_id: 'getSettings',
    summary: 'Show account settings',
    tag: 'Usage',
    responses: { 200: AccountSettings },
    handle: async ({ caller }) => ok(await usage.settings(caller)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/me/settings',
    access: { on: 'account', permission: 'settings_write' },
    operation_id: 'updateSettings',
    summary: 'Change account settings; omitted fields stay as they are',
    tag: 'Usage',
    body: SettingsEdit,
    responses: { 200: AccountSettings },
    handle: async ({ caller, body, request }) => ok(await usage.update(caller, body, request)),
  }),
];

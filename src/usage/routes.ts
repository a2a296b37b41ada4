import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import {
  AccountSettings,
  CallPage,
  CallQuery,
  Dashboard,
  KeyCallPage,
  KeyCallQuery,
  KeyParams,
  SettingsEdit,
  UsageReport,
} from './schema.ts';
import { callTable } from './call-files.ts';
import { DailyQuery, DailyUsage } from './daily/schema.ts';
import { dailyRows, dailyTable } from './daily/table.ts';
import { organizationUsageRoutes } from './organizations/routes.ts';
import type { RequireInside } from './organizations/routes.ts';
import type { Usage } from './usage.ts';

export const usageRoutes = (usage: Usage, requireInside: RequireInside): Route[] => [
  ...organizationUsageRoutes(usage, requireInside),
  ...reportRoutes(usage),
  ...callRoutes(usage),
  ...settingsRoutes(usage),
];

const reportRoutes = (usage: Usage): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/usage',
    access: { on: 'account', permission: 'usage_read' },
    operation_id: 'getUsage',
    summary: 'Get your usage',
    tag: 'Usage',
    responses: { 200: UsageReport },
    handle: async ({ caller }) => ok(await usage.report(caller)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/usage/daily',
    access: { on: 'account', permission: 'usage_read' },
    operation_id: 'getDailyUsage',
    summary: 'Get your daily usage',
    tag: 'Usage',
    query: DailyQuery,
    responses: { 200: DailyUsage },
    table: {
      ...dailyTable,
      pages: ({ caller, query }) => dailyRows(query, () => usage.daily(caller, query)),
    },
    handle: async ({ caller, query }) => ok(await usage.daily(caller, query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/dashboard',
    access: { on: 'account', permission: 'dashboard_read' },
    operation_id: 'getDashboard',
    summary: 'Get your dashboard',
    tag: 'Usage',
    responses: { 200: Dashboard },
    handle: async ({ caller }) => ok(await usage.dashboard(caller)),
  }),
];

const callRoutes = (usage: Usage): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/calls',
    access: { interactive: 'manage_account' },
    operation_id: 'listCalls',
    summary: 'List your calls',
    description: 'The newest is first. Rejected calls are included.',
    tag: 'Usage',
    query: CallQuery,
    responses: { 200: CallPage },
    table: {
      ...callTable(['key.id', 'key.name'], ['arguments']),
      pages: ({ caller, query }) => usage.callFile(caller, query),
    },
    handle: async ({ caller, query }) => ok(await usage.calls(caller, query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/keys/{key_id}/calls',
    access: { interactive: 'manage_keys' },
    operation_id: 'listApiKeyCalls',
    summary: 'List an API key’s calls',
    description:
      'Includes calls that an organization pays for. There, an item is named only while you may view it.',
    tag: 'API keys',
    params: KeyParams,
    object: ({ caller, params }) => usage.requireKey(caller, params.key_id),
    query: KeyCallQuery,
    responses: { 200: KeyCallPage },
    table: {
      ...callTable([], ['arguments']),
      pages: ({ caller, params, query }) => usage.keyCallFile(caller, params.key_id, query),
    },
    handle: async ({ caller, params, query }) =>
      ok(await usage.keyCalls(caller, params.key_id, query)),
  }),
];

const settingsRoutes = (usage: Usage): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/settings',
    access: { on: 'account', permission: 'settings_write' },
    operation_id: 'getSettings',
    summary: 'Get account settings',
    tag: 'Profile',
    responses: { 200: AccountSettings },
    handle: async ({ caller }) => ok(await usage.settings(caller)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/me/settings',
    access: { on: 'account', permission: 'settings_write' },
    operation_id: 'updateSettings',
    summary: 'Change account settings',
    tag: 'Profile',
    body: SettingsEdit,
    responses: { 200: AccountSettings },
    handle: async ({ caller, body, request }) => ok(await usage.update(caller, body, request)),
  }),
];

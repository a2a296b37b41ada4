import { defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { PageQuery, pageOf } from '../../platform/http/pages.ts';
import type { Accounts } from '../accounts.ts';
import { IdParams } from '../schema.ts';
import { sessionReply } from '../sign-in/reply.ts';
import { SessionResponse } from '../sign-in/schema.ts';
import { clearedCookies } from './cookies.ts';
import { SessionRecord } from './schema.ts';

export const sessionRoutes = (
  accounts: Pick<Accounts, 'sessions' | 'sessionManagement' | 'refresh' | 'cookies'>,
): Route[] => [...currentRoutes(accounts), ...managementRoutes(accounts)];

const currentRoutes = (accounts: Pick<Accounts, 'sessions' | 'refresh' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/refresh',
    access: 'public',
    operation_id: 'refreshSession',
    summary: 'Refresh the session',
    description: 'Renews the session with its refresh cookie.',
    tag: 'Sessions',
    responses: { 200: SessionResponse },
    browser_only: true,
    handle: async ({ request }) =>
      sessionReply(
        accounts.cookies,
        await accounts.refresh(request.cookies[accounts.cookies.refresh], request),
      ),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/logout',
    access: { interactive: 'ownership' },
    operation_id: 'signOut',
    summary: 'Sign out of this session',
    description: 'Ends this session and deletes its cookies.',
    tag: 'Sessions',
    responses: { 204: null },
    async handle({ caller, request }) {
      await accounts.sessions.end(caller, request);
      return { ...noContent(), cookies: clearedCookies(accounts.cookies) };
    },
  }),
];

const managementRoutes = (accounts: Pick<Accounts, 'sessionManagement' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/auth/sessions',
    access: { interactive: 'ownership' },
    operation_id: 'listSessions',
    summary: 'List your sessions',
    description: 'The newest is first.',
    tag: 'Sessions',
    query: PageQuery,
    responses: { 200: pageOf(SessionRecord) },
    handle: async ({ caller, query }) => ok(await accounts.sessionManagement.list(caller, query)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/auth/sessions',
    access: { interactive: 'ownership' },
    operation_id: 'endAllSessions',
    summary: 'End all sessions',
    description: 'Also ends the session that sends the request.',
    tag: 'Sessions',
    responses: { 204: null },
    async handle({ caller, request }) {
      await accounts.sessionManagement.endAll(caller, request);
      return { ...noContent(), cookies: clearedCookies(accounts.cookies) };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/auth/sessions/{id}',
    access: { interactive: 'ownership' },
    operation_id: 'endSession',
    summary: 'End one session',
    description: 'If it is the session that sends the request, its cookies are deleted too.',
    tag: 'Sessions',
    params: IdParams,
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await accounts.sessionManagement.end(caller, params.id, request);
      const isCurrent = params.id === caller.credential.id;
      return isCurrent
        ? { ...noContent(), cookies: clearedCookies(accounts.cookies) }
        : noContent();
    },
  }),
];

import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { pageOf } from '../platform/http/pages.ts';
import type { Audit } from './audit.ts';
import { AuditQuery, AuditRecord } from './schema.ts';

export const auditRoutes = ({ list }: Pick<Audit, 'list'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/audit',
    access: { interactive: 'manage_account' },
    operation_id: 'listAuditEntries',
    summary: 'List audit entries, newest first',
    tag: 'Account',
    query: AuditQuery,
    responses: { 200: pageOf(AuditRecord) },
    errors: { 400: ['invalid_cursor'] },
    handle: async ({ caller, query }) => ok(await list(caller.person, query)),
  }),
];

import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { pageOf } from '../platform/http/pages.ts';
import type { Audit } from './audit.ts';
import { AuditParams, AuditQuery, AuditRecord, OrganizationAuditRecord } from './schema.ts';

export const auditRoutes = ({
  list,
  listOfOrganization,
}: Pick<Audit, 'list' | 'listOfOrganization'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/audit',
    access: { interactive: 'manage_account' },
    operation_id: 'listAuditEntries',
    summary: 'List audit entries, newest first',
    tag: 'Account',
    query: AuditQuery,
    responses: { 200: pageOf(AuditRecord) },
    handle: async ({ caller, query }) => ok(await list(caller.person, query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/audit',
    access: { on: 'organization', permission: 'profile_write' },
    operation_id: 'listOrganizationAuditEntries',
    summary: 'List the changes in an organization, newest first',
    tag: 'Organizations',
    params: AuditParams,
    query: AuditQuery,
    responses: { 200: pageOf(OrganizationAuditRecord) },
    handle: async ({ params, query }) =>
      ok(await listOfOrganization(params.organization_id, query)),
  }),
];

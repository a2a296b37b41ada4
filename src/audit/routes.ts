import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { pageOf } from '../platform/http/pages.ts';
import type { Audit } from './audit.ts';
import {
  AuditParams,
  AuditQuery,
  AuditRecord,
  MAX_FILE_ENTRIES,
  OrganizationAuditRecord,
} from './schema.ts';

const columnsWith = (actor: readonly string[], credential: readonly string[]) => [
  ...['id', 'at', 'actor.kind', 'actor.id', ...actor],
  ...['credential.kind', 'credential.id', ...credential],
  ...['address', 'action', 'target', 'outcome', 'detail'],
];
const columns = columnsWith([], ['credential.name']);
// An organization's log does not name the keys of its members.
const columnsOfOrganization = columnsWith(['actor.email'], []);
const table = { file_name: 'toolgate-audit', max_rows: MAX_FILE_ENTRIES };

export const auditRoutes = ({
  list,
  listOfOrganization,
  entries,
  entriesOfOrganization,
}: Pick<Audit, 'list' | 'listOfOrganization' | 'entries' | 'entriesOfOrganization'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/audit',
    access: { interactive: 'manage_account' },
    operation_id: 'listAuditEntries',
    summary: 'List your audit entries',
    description: 'The newest is first.',
    tag: 'Audit log',
    query: AuditQuery,
    responses: { 200: pageOf(AuditRecord) },
    table: { ...table, columns, pages: ({ caller, query }) => entries(caller.person, query) },
    handle: async ({ caller, query }) => ok(await list(caller.person, query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/audit',
    access: { on: 'organization', permission: 'audit_read' },
    operation_id: 'listOrganizationAuditEntries',
    summary: 'List organization audit entries',
    description: 'The newest is first. No access token can read them.',
    tag: 'Organization audit log',
    params: AuditParams,
    query: AuditQuery,
    responses: { 200: pageOf(OrganizationAuditRecord) },
    table: {
      ...table,
      columns: columnsOfOrganization,
      pages: ({ params, query }) => entriesOfOrganization(params.organization_id, query),
    },
    handle: async ({ params, query }) =>
      ok(await listOfOrganization(params.organization_id, query)),
  }),
];

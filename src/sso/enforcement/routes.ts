import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { OrganizationParams } from '../../organizations/schema.ts';
import type { Enforcement } from './enforcement.ts';
import { SsoEdit, SsoRecord } from './schema.ts';

const tag = 'Single sign-on';
const path = '/api/organizations/{organization_id}/sso';

export const enforcementRoutes = (enforcement: Enforcement): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'sso_read' },
    operation_id: 'getSso',
    summary: 'Get the connections and domains of single sign-on, and whether it is enforced',
    tag,
    params: OrganizationParams,
    responses: { 200: SsoRecord },
    handle: async ({ caller, params }) => ok(await enforcement.get(caller, params.organization_id)),
  }),
  defineRoute({
    method: 'PATCH',
    path,
    access: { on: 'organization', permission: 'sso_write' },
    operation_id: 'updateSso',
    summary: 'Enforce single sign-on, which ends the sessions of the members it binds, or stop it',
    tag,
    params: OrganizationParams,
    body: SsoEdit,
    responses: { 200: SsoRecord },
    errors: { 422: ['plan_required', 'sso_not_tested'] },
    handle: async ({ caller, params, body, request }) =>
      ok(await enforcement.update(caller, params.organization_id, body, request)),
  }),
];

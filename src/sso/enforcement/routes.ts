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
    summary: 'Get single sign-on settings',
    tag,
    params: OrganizationParams,
    responses: { 200: SsoRecord },
    handle: async ({ caller, params }) => ok(await enforcement.get(caller, params.organization_id)),
  }),
  defineRoute({
    method: 'PATCH',
    path,
    access: { interactive: 'organization', permission: 'sso_write' },
    reauthentication: 'first',
    operation_id: 'updateSso',
    summary: 'Change single sign-on enforcement',
    description:
      'Starts or stops enforcing it. Enforcing ends the sessions of the members that it binds.',
    tag,
    params: OrganizationParams,
    body: SsoEdit,
    responses: { 200: SsoRecord },
    errors: { 422: ['plan_required', 'sso_not_tested'] },
    handle: async ({ caller, params, body, request }) =>
      ok(await enforcement.update(caller, params.organization_id, body, request)),
  }),
];

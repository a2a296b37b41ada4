import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { OrganizationParams } from '../schema.ts';
import type { Billing } from './billing.ts';
import { BillingEdit, BillingRecord } from './schema.ts';

const tag = 'Organizations';
const path = '/api/organizations/{organization_id}/billing';

export const billingRoutes = (billing: Billing): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'billing_read', suspended: 'allowed' },
    operation_id: 'getOrganizationBilling',
    summary: 'Get an organization’s billing',
    tag,
    params: OrganizationParams,
    responses: { 200: BillingRecord },
    handle: async ({ params }) => ok(await billing.get(params.organization_id)),
  }),
  defineRoute({
    method: 'PATCH',
    path,
    access: { interactive: 'organization', permission: 'billing_update', suspended: 'allowed' },
    operation_id: 'updateOrganizationBilling',
    summary: 'Change an organization’s billing contact',
    description: 'Only the Owner can do this.',
    tag,
    params: OrganizationParams,
    body: BillingEdit,
    responses: { 200: BillingRecord },
    errors: { 400: ['invalid_email'] },
    handle: async ({ caller, params, body, request }) =>
      ok(await billing.update(caller, params.organization_id, body, request)),
  }),
];

import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Consent } from './consent.ts';
import { ConsentDecision, ConsentRequest, Decided, InteractionParams } from './schema.ts';

/** Routes below the consent page, where its cookie goes, for a page of the dashboard. */
export const consentRoutes = (consent: Pick<Consent, 'describe' | 'decide'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/oauth/consent/{uid}/request',
    access: { interactive: 'ownership' },
    operation_id: 'getConsentRequest',
    summary: 'Get an OAuth consent request',
    tag: 'OAuth consent',
    params: InteractionParams,
    responses: { 200: ConsentRequest },
    handle: async ({ caller, params, request }) =>
      ok(await consent.describe(caller, params.uid, request)),
  }),
  defineRoute({
    method: 'POST',
    path: '/oauth/consent/{uid}/decision',
    access: { interactive: 'ownership' },
    operation_id: 'completeConsentRequest',
    summary: 'Decide an OAuth consent request',
    description: 'A request can be decided only once.',
    tag: 'OAuth consent',
    params: InteractionParams,
    body: ConsentDecision,
    responses: { 200: Decided },
    errors: {
      403: ['organization_suspended'],
      409: ['already_decided'],
      422: ['agent_unavailable', 'empty_list', 'not_a_member', 'unknown_scope', 'unknown_team'],
    },
    handle: async ({ caller, params, body, request }) =>
      ok(await consent.decide(caller, params.uid, body, request)),
  }),
];

import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { UnusedPage, UnusedParams, UnusedQuery } from './schema.ts';
import type { Unused } from './unused.ts';

/** The list of authority that can be taken away from credentials. */
export const unusedRoutes = (unused: Pick<Unused, 'list'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/access/unused',
    access: { on: 'organization', permission: 'audit_read' },
    operation_id: 'listUnusedAuthority',
    summary: 'List unused authority',
    description:
      'Lists the keys and OAuth clients that carry permissions or capabilities they have not used for some days. Removing what is listed refuses nothing that was used. No access token can read it.',
    tag: 'Organization access',
    params: UnusedParams,
    query: UnusedQuery,
    responses: { 200: UnusedPage },
    handle: async ({ params, query }) => ok(await unused.list(params.organization_id, query)),
  }),
];

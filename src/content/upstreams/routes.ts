import { actorOf } from '../../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { pageOf, PageQuery } from '../../platform/pages.ts';
import {
  DISCOVERY_MS,
  DiscoveredTools,
  UpstreamDraft,
  UpstreamEdit,
  UpstreamParams,
  UpstreamRecord,
} from './schema.ts';
import type { Upstreams } from './upstreams.ts';

const tag = 'Upstreams';

/** MCP servers elsewhere, and the tools they offer. */
export const upstreamRoutes = (upstreams: Upstreams): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/upstreams',
    access: { personal: 'tools_read' },
    summary: 'Your upstream MCP servers, newest first',
    tag,
    query: PageQuery,
    responses: { 200: pageOf(UpstreamRecord) },
    handle: async ({ caller, query }) => ok(await upstreams.list(caller.person, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/me/upstreams',
    access: { personal: 'tools_create' },
    summary: 'Add an upstream MCP server; header values are never shown again',
    tag,
    body: UpstreamDraft,
    responses: { 201: UpstreamRecord },
    handle: async ({ caller, body, request }) =>
      created(await upstreams.create(caller, body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/upstreams/{id}',
    access: { personal: 'tools_read' },
    summary: 'One upstream MCP server',
    tag,
    params: UpstreamParams,
    responses: { 200: UpstreamRecord },
    handle: async ({ caller, params }) => ok(await upstreams.get(caller.person, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/me/upstreams/{id}',
    access: { personal: 'tools_update' },
    summary: 'Change an upstream; a header of null is removed, another origin drops those not sent',
    tag,
    params: UpstreamParams,
    body: UpstreamEdit,
    responses: { 200: UpstreamRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await upstreams.update(caller.person, params.id, body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/me/upstreams/{id}',
    access: { personal: 'tools_delete' },
    summary: 'Remove an upstream',
    tag,
    params: UpstreamParams,
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await upstreams.remove(caller.person, params.id, actorOf(caller, request));
      return noContent();
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/upstreams/{id}/tools',
    access: { personal: 'tools_read' },
    summary: 'Ask an upstream for its tools; each pin stands for what its tool says now',
    tag,
    params: UpstreamParams,
    responses: { 200: DiscoveredTools },
    within_ms: DISCOVERY_MS,
    handle: async ({ caller, params }) =>
      ok({ data: await upstreams.discover(caller.person, params.id), next_cursor: null }),
  }),
];

import { authorityOf } from '../../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { NamedListQuery } from '../../platform/http/list-query.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { manyIn, mountParams, oneIn, operationName, pathParams, tagName } from '../spaces/mount.ts';
import type { Mount, MountedRequest } from '../spaces/mount.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { addressErrors } from './rules.ts';
import {
  DISCOVERY_MS,
  DiscoveredTools,
  UpstreamDraft,
  UpstreamEdit,
  UpstreamParams,
  UpstreamRecord,
} from './schema.ts';
import type { Upstreams } from './upstreams.ts';

const TAG = 'Upstreams';

/** Routes of upstream MCP servers, and of the tools they offer. */
export const upstreamRoutes = (upstreams: Upstreams, mount: Mount): Route[] => [
  ...listRoutes(upstreams, mount),
  ...recordRoutes(upstreams, mount),
  discoveryRoute(upstreams, mount),
  ...oauthRoutes({ oauth: upstreams.oauth, getUpstream: upstreams.get }, mount),
];

/** Throws 404 if the space of a request has no such upstream. */
const upstreamIn =
  (upstreams: Upstreams, mount: Mount) => async (request: MountedRequest<{ id: string }>) =>
    upstreams.get((await mount.spaceOf(request)).id, request.params.id);

const listRoutes = (upstreams: Upstreams, mount: Mount): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${mount.path}/upstreams`,
    access: mount.access('tools_read'),
    operation_id: operationName(mount, 'listUpstreams'),
    summary: `List ${manyIn(mount, 'upstreams')}`,
    description: 'The newest is first.',
    tag: tagName(mount, TAG),
    ...mountParams(mount),
    query: NamedListQuery,
    responses: { 200: pageOf(UpstreamRecord) },
    handle: async ({ caller, params, query }) =>
      ok(await upstreams.list((await mount.spaceOf({ caller, params })).id, query)),
  }),
  defineRoute({
    method: 'POST',
    path: `${mount.path}/upstreams`,
    access: mount.access('tools_create'),
    operation_id: operationName(mount, 'createUpstream'),
    summary: `Add ${oneIn(mount, 'upstream')}`,
    tag: tagName(mount, TAG),
    ...mountParams(mount),
    body: UpstreamDraft,
    responses: { 201: UpstreamRecord },
    errors: {
      409: ['name_taken'],
      422: ['limit_reached', 'upstream_client_missing', ...addressErrors],
    },
    async handle({ caller, params, body, request }) {
      const space = await mount.spaceOf({ caller, params });
      const authority = authorityOf(caller, request);
      return created(
        await request.once<UpstreamRecord>((save) =>
          upstreams.create(space, body, authority, save),
        ),
      );
    },
  }),
];

const recordRoutes = (upstreams: Upstreams, mount: Mount): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${mount.path}/upstreams/{id}`,
    access: mount.access('tools_read'),
    operation_id: operationName(mount, 'getUpstream'),
    summary: `Get ${oneIn(mount, 'upstream')}`,
    tag: tagName(mount, TAG),
    params: pathParams(mount, UpstreamParams),
    object: upstreamIn(upstreams, mount),
    responses: { 200: UpstreamRecord },
    handle: async ({ caller, params }) =>
      ok(await upstreams.get((await mount.spaceOf({ caller, params })).id, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${mount.path}/upstreams/{id}`,
    access: mount.access('tools_update'),
    operation_id: operationName(mount, 'updateUpstream'),
    summary: `Change ${oneIn(mount, 'upstream')}`,
    tag: tagName(mount, TAG),
    params: pathParams(mount, UpstreamParams),
    object: upstreamIn(upstreams, mount),
    body: UpstreamEdit,
    responses: { 200: UpstreamRecord },
    errors: {
      409: ['name_taken'],
      422: ['secret_unreadable', 'upstream_client_missing', ...addressErrors],
    },
    handle: async ({ caller, params, body, request }) =>
      ok(
        await upstreams.update(
          await mount.spaceOf({ caller, params }),
          params.id,
          body,
          authorityOf(caller, request),
        ),
      ),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${mount.path}/upstreams/{id}`,
    access: mount.access('tools_delete'),
    operation_id: operationName(mount, 'removeUpstream'),
    summary: `Remove ${oneIn(mount, 'upstream')}`,
    tag: tagName(mount, TAG),
    params: pathParams(mount, UpstreamParams),
    object: upstreamIn(upstreams, mount),
    responses: { 204: null },
    errors: { 409: ['upstream_in_use'] },
    async handle({ caller, params, request }) {
      await upstreams.remove(
        await mount.spaceOf({ caller, params }),
        params.id,
        authorityOf(caller, request),
      );
      return noContent();
    },
  }),
];

const discoveryRoute = (upstreams: Upstreams, mount: Mount): Route =>
  defineRoute({
    method: 'GET',
    path: `${mount.path}/upstreams/{id}/tools`,
    access: mount.access('tools_read'),
    operation_id: operationName(mount, 'listUpstreamTools'),
    summary: `List ${oneIn(mount, 'upstream')}’s tools`,
    tag: tagName(mount, TAG),
    params: pathParams(mount, UpstreamParams),
    object: upstreamIn(upstreams, mount),
    responses: { 200: DiscoveredTools },
    errors: {
      422: ['secret_unreadable', 'upstream_authorization_required', 'upstream_error'],
      429: ['rate_limited'],
    },
    within_ms: DISCOVERY_MS,
    handle: async ({ caller, params }) =>
      ok({
        data: await upstreams.discover(await mount.spaceOf({ caller, params }), params.id),
        next_cursor: null,
      }),
  });

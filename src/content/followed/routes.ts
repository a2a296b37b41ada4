import { authorityOf } from '../../caller/actor.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { nounIn, oneIn, operationName, pathParams, tagName } from '../spaces/mount.ts';
import type { Mount, MountedRequest } from '../spaces/mount.ts';
import { DISCOVERY_MS, UpstreamParams } from '../upstreams/schema.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import type { Followed } from './followed.ts';
import type { May } from './import.ts';
import type { AddedFamily } from './plan.ts';
import { ChangeApproval, UpstreamChanges, UpstreamImport, UpstreamImported } from './schema.ts';

const TAG = 'Upstreams';
// Checks and saves as many tools as an upstream may list.
const SAVE_MS = 30_000;

interface Parts {
  followed: Followed;
  upstreams: Pick<Upstreams, 'get'>;
}

const IMPORT = 'importUpstreamTools';
const APPROVE = 'approveUpstreamChanges';

/** Routes that add all tools of an upstream, and approve what changed there since. */
export const followedRoutes = (parts: Parts, mount: Mount): Route[] => [
  importRoute(parts, mount),
  ...changeRoutes(parts, mount),
];

const upstreamIn =
  ({ upstreams }: Parts, mount: Mount) =>
  async (request: MountedRequest<{ id: string }>) =>
    upstreams.get((await mount.spaceOf(request)).id, request.params.id);

/** The operations that need the permissions to list, create and change items of a family. */
const operations = {
  tool: { list: 'listCustomTools', create: IMPORT, update: APPROVE },
  prompt: { list: 'listPrompts', create: 'createPrompt', update: 'updatePrompt' },
  resource: { list: 'listResources', create: 'createResource', update: 'updateResource' },
} as const satisfies Record<AddedFamily, Record<string, string>>;

const mayIn =
  (mount: Mount, mayRequest: (operation_id: string) => Promise<boolean>): May =>
  async (family) => {
    const { create, update } = operations[family];
    return {
      mayCreate: await mayRequest(operationName(mount, create)),
      mayUpdate: await mayRequest(operationName(mount, update)),
    };
  };

const importRoute = (parts: Parts, mount: Mount): Route =>
  defineRoute({
    method: 'POST',
    path: `${mount.path}/upstreams/{id}/import`,
    access: mount.access('tools_create'),
    operation_id: operationName(mount, IMPORT),
    summary: `Import ${oneIn(mount, 'upstream')}’s tools`,
    description:
      'Adds all matching tools, prompts and resources, or none if the plan does not allow as many.',
    tag: tagName(mount, TAG),
    params: pathParams(mount, UpstreamParams),
    object: upstreamIn(parts, mount),
    body: UpstreamImport,
    responses: { 200: UpstreamImported },
    errors: {
      422: ['limit_reached', 'secret_unreadable', 'upstream_error'],
      429: ['rate_limited'],
    },
    within_ms: DISCOVERY_MS + SAVE_MS,
    async handle({ caller, params, body, request, mayRequest }) {
      const space = await mount.spaceOf({ caller, params });
      const may = mayIn(mount, (operation_id) => mayRequest({ operation_id, params }));
      const authority = authorityOf(caller, request);
      return ok(await parts.followed.import({ space, id: params.id, may }, body, authority));
    },
  });

const changeRoutes = (parts: Parts, mount: Mount): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${mount.path}/upstreams/{id}/changes`,
    access: mount.access('tools_read'),
    operation_id: operationName(mount, 'listUpstreamChanges'),
    summary: `List changes of ${nounIn(mount, 'upstream')} tools`,
    description: 'Tools, prompts and resources that are new, changed or removed since approval.',
    tag: tagName(mount, TAG),
    params: pathParams(mount, UpstreamParams),
    object: upstreamIn(parts, mount),
    responses: { 200: UpstreamChanges },
    async handle({ caller, params, mayRequest }) {
      const { id: space_id } = await mount.spaceOf({ caller, params });
      const mayRead = (family: AddedFamily) =>
        mayRequest({ operation_id: operationName(mount, operations[family].list), params });
      return ok(await parts.followed.changes.list({ space_id, id: params.id }, mayRead));
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${mount.path}/upstreams/{id}/changes/approve`,
    access: mount.access('tools_update'),
    operation_id: operationName(mount, APPROVE),
    summary: `Approve changes of ${nounIn(mount, 'upstream')} tools`,
    description:
      'New ones also need the permission to create, prompts and resources their own permissions.',
    tag: tagName(mount, TAG),
    params: pathParams(mount, UpstreamParams),
    object: upstreamIn(parts, mount),
    body: ChangeApproval,
    responses: { 200: UpstreamImported },
    errors: { 422: ['limit_reached'] },
    within_ms: SAVE_MS,
    async handle({ caller, params, body, request, mayRequest }) {
      const space = await mount.spaceOf({ caller, params });
      const may = mayIn(mount, (operation_id) => mayRequest({ operation_id, params }));
      const authority = authorityOf(caller, request);
      const target = { space, id: params.id, may };
      return ok(await parts.followed.changes.approve(target, body, authority));
    },
  }),
];

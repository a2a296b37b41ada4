import { authorityOf } from '../../caller/actor.ts';
import { defineRoute, okUntyped } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Mount } from '../spaces/mount.ts';
import { itemRoutes, scopableRoute } from '../items/routes.ts';
import { ItemParams } from '../items/schema.ts';
import { Approval, ToolImport, ToolImported, ToolRecord } from './schema.ts';
import { toolFamily } from './tools.ts';
import type { CustomTools } from './tools.ts';

export const customToolRoutes = (tools: CustomTools, mount: Mount): Route[] => [
  scopableRoute(toolFamily, tools, mount),
  defineRoute({
    method: 'POST',
    path: `${mount.path}/custom-tools/import`,
    access: mount.access('tools_create'),
    operation_id: 'importCustomTools',
    summary: 'Import custom tools from an OpenAPI document',
    tag: 'Custom tools',
    body: ToolImport,
    responses: { 200: ToolImported },
    errors: { 422: ['unsupported_document'] },
    // Saves each operation's tool in a transaction of its own.
    within_ms: 30_000,
    handle: async ({ caller, params, body, request }) =>
      okUntyped(
        await tools.import(mount.spaceOf({ caller, params }), body, authorityOf(caller, request)),
      ),
  }),
  defineRoute({
    method: 'POST',
    path: `${mount.path}/custom-tools/{id}/approve`,
    access: mount.access('tools_update'),
    operation_id: 'approveCustomTool',
    summary: 'Approve a quarantined tool with its current description',
    tag: 'Custom tools',
    params: ItemParams,
    object: ({ caller, params }) => tools.get(mount.spaceOf({ caller, params }).id, params.id),
    body: Approval,
    responses: { 200: ToolRecord },
    errors: { 409: ['pin_mismatch'], 422: ['not_of_an_upstream', 'unsuitable_upstream_tool'] },
    handle: async ({ caller, params, body, request }) =>
      okUntyped(
        await tools.approve(
          mount.spaceOf({ caller, params }),
          params.id,
          body,
          authorityOf(caller, request),
        ),
      ),
  }),
  ...itemRoutes(toolFamily, tools, mount),
];

import { z } from 'zod';
import { authorityOf } from '../../caller/actor.ts';
import { defineRoute, okUntyped } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { mountParams, nounIn, oneIn, operationName, pathParams, tagName } from '../spaces/mount.ts';
import type { Mount } from '../spaces/mount.ts';
import { itemRoutes, scopableRoute } from '../items/routes.ts';
import { ItemParams } from '../items/schema.ts';
import { named, schemaWithSpace, wholeItem, withSpace } from '../items/shown.ts';
import { importDocumentErrors } from './import-document.ts';
import { ImportedTool, ToolImport, ToolImported } from './openapi/schema.ts';
import { Approval, ToolRecord } from './schema.ts';
import { toolFamily } from './tools.ts';
import type { CustomTools } from './tools.ts';

export const customToolRoutes = (tools: CustomTools, mount: Mount): Route[] => [
  scopableRoute(toolFamily, tools, mount),
  defineRoute({
    method: 'POST',
    path: `${mount.path}/custom-tools/import`,
    access: mount.access('tools_create'),
    operation_id: operationName(mount, 'importCustomTools'),
    summary: `Import ${nounIn(mount, 'custom tools')} from OpenAPI`,
    tag: tagName(mount, toolFamily.tag),
    ...mountParams(mount),
    body: ToolImport,
    responses: { 200: importedSchema(mount) },
    errors: { 422: ['unsupported_document', ...importDocumentErrors] },
    // May download a document, and saves each operation's tool in a transaction of its own.
    within_ms: 60_000,
    job: true,
    async handle({ caller, params, body, request, progress, authorizeAgain }) {
      const space = await mount.spaceOf({ caller, params });
      const authority = authorityOf(caller, request);
      const renew = async () => authorityOf(await authorizeAgain(), request);
      const imported = await tools.import(space, body, { authority, renew, progress });
      return okUntyped({
        ...imported,
        tools: imported.tools.map((tool) => withSpace(space, toolFamily, tool)),
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${mount.path}/custom-tools/{id}/approve`,
    access: mount.access('tools_update'),
    operation_id: operationName(mount, 'approveCustomTool'),
    summary: `Approve ${oneIn(mount, 'custom tool')}`,
    description:
      'Approves a quarantined tool as its upstream now describes it, or with `pin` only as that pin does.',
    tag: tagName(mount, toolFamily.tag),
    params: pathParams(mount, ItemParams),
    object: async ({ caller, params }) =>
      tools.get((await mount.spaceOf({ caller, params })).id, params.id),
    body: Approval,
    responses: { 200: schemaWithSpace(mount, ToolRecord) },
    errors: { 409: ['pin_mismatch'], 422: ['not_of_an_upstream', 'unsuitable_upstream_tool'] },
    async handle({ caller, params, body, request }) {
      const space = await mount.spaceOf({ caller, params });
      const authority = authorityOf(caller, request);
      const approved = await tools.approve(space, params.id, body, authority);
      return okUntyped(wholeItem(space, toolFamily, approved));
    },
  }),
  ...itemRoutes(toolFamily, tools, mount),
];

const importedSchema = (mount: Mount) =>
  named(
    mount,
    ToolImported,
    ToolImported.extend({ tools: z.array(schemaWithSpace(mount, ImportedTool)) }),
  );

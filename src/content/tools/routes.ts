import { actorOf } from '../../caller/actor.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { pageOf, PageQuery } from '../../platform/pages.ts';
import { spaceOf } from '../items/kind.ts';
import { itemRoutes } from '../items/routes.ts';
import { ItemParams } from '../items/schema.ts';
import { mergeTool } from './drafts.ts';
import {
  Approval,
  ScopableTool,
  ToolChange,
  ToolDraft,
  ToolImport,
  ToolImported,
  ToolListed,
  ToolRecord,
} from './schema.ts';
import type { CustomTools } from './tools.ts';

export const customToolRoutes = (tools: CustomTools): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/custom-tools/scopable',
    access: { personal: 'tools_read' },
    summary: 'Own custom tools a key can be scoped to',
    tag: 'Custom tools',
    query: PageQuery,
    responses: { 200: pageOf(ScopableTool) },
    handle: async ({ caller, query }) => {
      const page = await tools.list(caller.account_id, query);
      return ok({ ...page, data: page.data.map(({ id, name }) => ({ id, name })) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/me/custom-tools/import',
    access: { personal: 'tools_create' },
    summary: 'Make custom tools of the operations of an OpenAPI document',
    tag: 'Custom tools',
    body: ToolImport,
    responses: { 200: ToolImported },
    handle: async ({ caller, body, request }) =>
      ok(await tools.import(spaceOf(caller), body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/me/custom-tools/{id}/approve',
    access: { personal: 'tools_update' },
    summary: 'Let a held tool go, as its upstream describes it now',
    tag: 'Custom tools',
    params: ItemParams,
    body: Approval,
    responses: { 200: ToolRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await tools.approve(spaceOf(caller), params.id, body, actorOf(caller, request))),
  }),
  ...itemRoutes({
    items: tools,
    path: 'custom-tools',
    permissions: 'tools',
    noun: 'custom tool',
    tag: 'Custom tools',
    draft: ToolDraft,
    change: ToolChange,
    record: ToolRecord,
    listed: ToolListed,
    draftOf: tools.draftOf,
    merge: mergeTool,
  }),
];

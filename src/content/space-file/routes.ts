import { defineRoute, ok, okUntyped } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { agentFamily } from '../agents/agents.ts';
import { promptFamily } from '../prompts/prompts.ts';
import { resourceFamily } from '../resources/resources.ts';
import { toolFamily } from '../tools/tools.ts';
import { addressErrors } from '../upstreams/rules.ts';
import { ExportQuery, ImportQuery, SpaceExport, SpaceFile, SpaceImported } from './schema.ts';
import type { SpaceFiles } from './space-file.ts';

const tag = 'Space file';
const ATTACHMENT = { 'content-disposition': 'attachment; filename="toolgate-space.json"' };
// A template or schema alone may have 32 levels, like a request body; schemas of an upstream may
// have more.
const LEVELS = 64;

/** Routes that export and import an account's space file. */
export const spaceFileRoutes = (files: SpaceFiles): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/export',
    access: { interactive: 'manage_account' },
    operation_id: 'exportSpace',
    summary: 'Export your space',
    description: 'The file has no secrets. A large space has several files.',
    tag,
    query: ExportQuery,
    responses: { 200: SpaceExport },
    handle: async ({ caller, query, request }) => ({
      ...okUntyped(await files.export(caller, query.cursor ?? null, request)),
      headers: ATTACHMENT,
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/me/import',
    access: { interactive: 'manage_account' },
    operation_id: 'importSpace',
    summary: 'Import a space file',
    description:
      'Imports everything or nothing. Returns which secrets are missing, since a file has none.',
    tag,
    query: ImportQuery,
    body: SpaceFile,
    body_levels: LEVELS,
    responses: { 200: SpaceImported },
    errors: [
      { 409: ['name_taken'] },
      { 422: ['duplicate_item', 'fixed_field', 'limit_reached', 'unknown_item', ...addressErrors] },
      ...[agentFamily, promptFamily, resourceFamily, toolFamily].map(({ draft_errors }) => ({
        422: draft_errors,
      })),
    ],
    // Imports a whole space in one transaction.
    within_ms: 30_000,
    job: true,
    handle: async ({ caller, body, query, request, progress }) =>
      ok(await files.import(caller, { file: body, ...query }, request, progress)),
  }),
];

import { defineRoute, ok, okUntyped } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { ExportQuery, ImportQuery, SpaceExport, SpaceFile, SpaceImported } from './schema.ts';
import type { SpaceFiles } from './space-file.ts';

const tag = 'Space';
const ATTACHMENT = { 'content-disposition': 'attachment; filename="toolgate-space.json"' };
// A template or schema may have the 32 levels of a body of its own, and those of an upstream more.
const LEVELS = 64;

/** What an account's agents are given, as a file: handed out and taken in. */
export const spaceFileRoutes = (files: SpaceFiles): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/export',
    access: { interactive: 'manage_account' },
    summary: 'Your space as a file for the import, without secrets',
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
    summary: 'Take in the file of a space, whole or not at all; says which secrets are missing',
    tag,
    query: ImportQuery,
    body: SpaceFile,
    body_levels: LEVELS,
    responses: { 200: SpaceImported },
    // A whole space, in one transaction.
    within_ms: 30_000,
    handle: async ({ caller, body, query, request }) =>
      ok(await files.import(caller, { file: body, ...query }, request)),
  }),
];

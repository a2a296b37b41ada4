import { authorityOf } from '../../caller/actor.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { mountParams, nounIn, operationName, tagName } from '../spaces/mount.ts';
import type { Mount } from '../spaces/mount.ts';
import type { createImportUpstreams } from './import-upstreams.ts';
import { UpstreamsImport, UpstreamsImported } from './schema.ts';

/** The route that adds the servers of a registry's or a client's document. */
export const upstreamDocumentRoutes = (
  importUpstreams: ReturnType<typeof createImportUpstreams>,
  mount: Mount,
): Route[] => [
  defineRoute({
    method: 'POST',
    path: `${mount.path}/upstreams/import`,
    access: mount.access('tools_create'),
    operation_id: operationName(mount, 'importUpstreams'),
    summary: `Import ${nounIn(mount, 'upstreams')} from a file`,
    description: 'Servers that run on one’s own machine are skipped.',
    tag: tagName(mount, 'Upstreams'),
    ...mountParams(mount),
    body: UpstreamsImport,
    responses: { 200: UpstreamsImported },
    errors: { 422: ['unsupported_document'] },
    // Saves each server in a transaction of its own.
    within_ms: 30_000,
    async handle({ caller, params, body, request }) {
      const space = await mount.spaceOf({ caller, params });
      return ok(await importUpstreams(space, body, authorityOf(caller, request)));
    },
  }),
];

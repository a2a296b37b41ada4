import { z } from 'zod';
import { authorityOf } from '../../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Reply, Route } from '../../caller/route.ts';
import { NamedListQuery } from '../../platform/http/list-query.ts';
import { pageOf, wholeList } from '../../platform/http/pages.ts';
import type { Items } from './items.ts';
import {
  mountParams,
  operationName,
  organizationMount,
  pathParams,
  tagName,
} from '../spaces/mount.ts';
import type { Mount, MountedRequest } from '../spaces/mount.ts';
import type { TeamSpace } from '../spaces/space.ts';
import type { Draft, ItemFamily } from './kind.ts';
import type { ItemRecord } from './records.ts';
import { etagOf } from './refusals.ts';
import { nounOf, pathOf, requireItem } from './route-parts.ts';
import { routeWords } from './route-words.ts';
import { Reference } from '../../platform/http/reference.ts';
import { ItemParams, VersionParams, VersionRecord } from './schema.ts';
import { bodySchemas, schemaWithSpace, splitBody, wholeItem, withSpace } from './shown.ts';
import { usesRoute } from './uses-route.ts';

/** REST routes of one family: list, create, read, change, delete, and the version history. */
export const itemRoutes = (family: ItemFamily, items: Items, mount: Mount): Route[] => [
  ...readRoutes(family, items, mount),
  ...writeRoutes(family, items, mount),
  ...historyRoutes(family, items, mount),
  usesRoute(family, items, mount),
  ...(mount.kind === 'team' && family.actions.promote
    ? [promotionRoute(family, items, mount)]
    : []),
];

/** Lists the items that a policy may name. */
export function scopableRoute(family: ItemFamily, items: Items, mount: Mount): Route {
  const { permissions } = family;
  return defineRoute({
    method: 'GET',
    path: `${pathOf(family, mount)}/scopable`,
    access: mount.access(`${permissions}_read`),
    operation_id: operationName(mount, `listScopable${nounOf(family)}s`),
    ...routeWords(family, mount).scopable,
    tag: tagName(mount, family.tag),
    ...mountParams(mount),
    query: NamedListQuery,
    responses: { 200: pageOf(Reference) },
    async handle({ query, ...request }) {
      const { data, next_cursor } = await items.list((await mount.spaceOf(request)).id, query);
      return ok({ data: data.map(({ id, name }) => ({ id, name: String(name) })), next_cursor });
    },
  });
}

const requireItemVersion =
  (items: Items, mount: Mount) =>
  async (request: MountedRequest<z.infer<typeof VersionParams>>) => {
    const { id, version } = request.params;
    return items.version((await mount.spaceOf(request)).id, id, version);
  };

function readRoutes(family: ItemFamily, items: Items, mount: Mount): Route[] {
  const { permissions } = family;
  const words = routeWords(family, mount);
  const path = pathOf(family, mount);
  const tag = tagName(mount, family.tag);
  const [record, listed] = [
    schemaWithSpace(mount, family.record),
    schemaWithSpace(mount, family.listed),
  ];
  return [
    defineRoute({
      method: 'GET',
      path,
      access: mount.access(`${permissions}_read`),
      operation_id: operationName(mount, `list${nounOf(family)}s`),
      ...words.list,
      tag,
      ...mountParams(mount),
      query: NamedListQuery,
      responses: { 200: pageOf(listed) },
      async handle({ query, ...request }) {
        const space = await mount.spaceOf(request);
        const { data, next_cursor } = await items.list(space.id, query);
        return ok({ data: data.map((item) => withSpace(space, family, item)), next_cursor });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      access: mount.access(`${permissions}_read`),
      operation_id: operationName(mount, `get${nounOf(family)}`),
      ...words.get,
      tag,
      params: pathParams(mount, ItemParams),
      object: requireItem(items, mount),
      responses: { 200: record },
      async handle(request) {
        const space = await mount.spaceOf(request);
        return withEtag(ok, wholeItem(space, family, await items.get(space.id, request.params.id)));
      },
    }),
  ];
}

/** Returns the errors of creation, without the 404 that all routes of an organization declare. */
function creationErrors({ creation_errors = {} }: ItemFamily, { kind }: Mount) {
  const { 404: _absent, ...others } = creation_errors;
  return kind === 'personal' ? creation_errors : others;
}

function creationRoute(family: ItemFamily, items: Items, mount: Mount): Route {
  const { permissions, creation_timeout_ms, draft_errors } = family;
  return defineRoute({
    method: 'POST',
    path: pathOf(family, mount),
    access: mount.access(`${permissions}_create`),
    operation_id: operationName(mount, `create${nounOf(family)}`),
    ...routeWords(family, mount).create,
    tag: tagName(mount, family.tag),
    ...mountParams(mount),
    body: bodySchemas(mount, family).draft,
    responses: { 201: schemaWithSpace(mount, family.record) },
    errors: [
      { 409: ['name_taken'], 422: ['limit_reached', ...draft_errors] },
      creationErrors(family, mount),
    ],
    within_ms: creation_timeout_ms,
    async handle({ body, request, ...mounted }) {
      const space = await mount.spaceOf(mounted);
      const { fields, catalogFields } = splitBody(mount, body);
      const draft = async () => ({
        ...(await items.kind.draftOf(fields, space)),
        ...catalogFields,
      });
      const authority = authorityOf(mounted.caller, request);
      const createdItem = await items.create(space, draft, authority, request.once);
      return withEtag(created, wholeItem(space, family, createdItem));
    },
  });
}

function writeRoutes(family: ItemFamily, items: Items, mount: Mount): Route[] {
  const { permissions, draft_errors } = family;
  const words = routeWords(family, mount);
  const path = pathOf(family, mount);
  const tag = tagName(mount, family.tag);
  const record = schemaWithSpace(mount, family.record);
  return [
    creationRoute(family, items, mount),
    defineRoute({
      method: 'PATCH',
      path: `${path}/{id}`,
      access: mount.access(`${permissions}_update`),
      operation_id: operationName(mount, `update${nounOf(family)}`),
      ...words.update,
      tag,
      params: pathParams(mount, ItemParams),
      object: requireItem(items, mount),
      body: bodySchemas(mount, family).change,
      responses: { 200: record },
      errors: { 409: ['name_taken'], 412: ['version_mismatch'], 422: draft_errors },
      async handle({ body, request, ...mounted }) {
        const { fields, catalogFields } = splitBody(mount, body);
        const next = (stored: Draft<object>) => ({
          ...family.merge(stored, fields),
          ...catalogFields,
        });
        const space = await mount.spaceOf(mounted);
        const authority = authorityOf(mounted.caller, request);
        const edit = { if_match: request.if_match, next };
        const changed = await items.edit(space, mounted.params.id, edit, authority);
        return withEtag(ok, wholeItem(space, family, changed));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      access: mount.access(`${permissions}_delete`),
      operation_id: operationName(mount, `delete${nounOf(family)}`),
      ...words.delete,
      tag,
      params: pathParams(mount, ItemParams),
      object: requireItem(items, mount),
      responses: { 204: null },
      errors: { 412: ['version_mismatch'] },
      async handle({ request, ...mounted }) {
        const space = await mount.spaceOf(mounted);
        const authority = authorityOf(mounted.caller, request);
        await items.remove(space, mounted.params.id, request.if_match, authority);
        return noContent();
      },
    }),
  ];
}

function historyRoutes(family: ItemFamily, items: Items, mount: Mount): Route[] {
  const { permissions, draft_errors } = family;
  const words = routeWords(family, mount);
  const path = pathOf(family, mount);
  const tag = tagName(mount, family.tag);
  const record = schemaWithSpace(mount, family.record);
  return [
    defineRoute({
      method: 'GET',
      path: `${path}/{id}/versions`,
      access: mount.access(`${permissions}_read`),
      operation_id: operationName(mount, `list${nounOf(family)}Versions`),
      ...words.versions,
      tag,
      params: pathParams(mount, ItemParams),
      object: requireItem(items, mount),
      responses: { 200: wholeList(VersionRecord) },
      async handle(request) {
        const { id } = await mount.spaceOf(request);
        return ok({ data: await items.versions(id, request.params.id), next_cursor: null });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}/versions/{version}`,
      access: mount.access(`${permissions}_read`),
      operation_id: operationName(mount, `get${nounOf(family)}Version`),
      ...words.version,
      tag,
      params: pathParams(mount, VersionParams),
      object: requireItemVersion(items, mount),
      responses: { 200: record },
      async handle({ params: { id, version, ...params }, caller }) {
        const space = await mount.spaceOf({ caller, params });
        return ok(wholeItem(space, family, await items.version(space.id, id, version)));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}/versions/{version}/restore`,
      access: mount.access(`${permissions}_update`),
      operation_id: operationName(mount, `restore${nounOf(family)}Version`),
      ...words.restore,
      tag,
      params: pathParams(mount, VersionParams),
      object: requireItemVersion(items, mount),
      responses: { 200: record },
      errors: { 409: ['name_taken'], 412: ['version_mismatch'], 422: draft_errors },
      async handle({ params: { id, version, ...params }, caller, request }) {
        const space = await mount.spaceOf({ caller, params });
        const from = { version, if_match: request.if_match };
        const restored = await items.restore(space, id, from, authorityOf(caller, request));
        return withEtag(ok, wholeItem(space, family, restored));
      },
    }),
  ];
}

function promotionRoute(family: ItemFamily, items: Items, mount: Mount): Route {
  const { permissions } = family;
  return defineRoute({
    method: 'POST',
    path: `${pathOf(family, mount)}/{id}/promote`,
    access: mount.access(`${permissions}_promote`),
    operation_id: operationName(mount, `promote${nounOf(family)}`),
    ...routeWords(family, mount).promote,
    tag: tagName(mount, family.tag),
    params: pathParams(mount, ItemParams),
    object: requireItem(items, mount),
    responses: { 200: schemaWithSpace(organizationMount, family.record) },
    errors: {
      409: family.family === 'agent' ? ['name_taken'] : ['name_taken', 'upstream_in_use'],
      412: ['version_mismatch'],
    },
    async handle({ request, ...mounted }) {
      const space = (await mount.spaceOf(mounted)) as TeamSpace;
      const authority = authorityOf(mounted.caller, request);
      const moved = await items.promote(space, mounted.params.id, request.if_match, authority);
      const catalog = await organizationMount.spaceOf(mounted);
      return withEtag(ok, wholeItem(catalog, family, moved));
    },
  });
}

const withEtag = <Status extends number>(
  reply: (body: unknown) => Reply<Status>,
  record: ItemRecord,
): Reply<Status> => ({
  ...reply(record),
  headers: { etag: etagOf(record.version) },
});

import { z } from 'zod';
import { authorityOf } from '../../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Reply, Route } from '../../caller/route.ts';
import { pageOf, PageQuery } from '../../platform/http/pages.ts';
import type { Items } from './items.ts';
import type { Mount } from '../spaces/mount.ts';
import type { Draft, ItemFamily } from './kind.ts';
import type { ItemRecord } from './records.ts';
import { etagOf } from './refusals.ts';
import { ItemParams, Scopable, VersionParams, VersionRecord } from './schema.ts';

/** REST routes of one family: list, create, read, change, delete, and the version history. */
export const itemRoutes = (family: ItemFamily, items: Items, mount: Mount): Route[] => [
  ...readingRoutes(family, items, mount),
  ...writingRoutes(family, items, mount),
  ...historyRoutes(family, items, mount),
];

/** Lists the items that a key's policy may name. */
export function scopableRoute(family: ItemFamily, items: Items, mount: Mount): Route {
  const { permissions, words, tag } = family;
  return defineRoute({
    method: 'GET',
    path: `${pathOf(family, mount)}/scopable`,
    access: mount.access(`${permissions}_read`),
    operation_id: `listScopable${nounOf(family)}s`,
    summary: `List own ${words.many} that a key policy may name`,
    tag,
    query: PageQuery,
    responses: { 200: pageOf(Scopable) },
    handle: async ({ caller, params, query }) => {
      const { data, next_cursor } = await items.list(mount.spaceOf({ caller, params }).id, query);
      return ok({ data: data.map(({ id, name }) => ({ id, name: String(name) })), next_cursor });
    },
  });
}

/** Returns the item's name in operation ids: `CustomTool`. */
const nounOf = ({ noun }: ItemFamily) =>
  noun.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const pathOf = ({ path }: ItemFamily, mount: Mount) => `${mount.path}/${path}`;

function readingRoutes(family: ItemFamily, items: Items, mount: Mount): Route[] {
  const { permissions, words, tag, record, listed } = family;
  const path = pathOf(family, mount);
  return [
    defineRoute({
      method: 'GET',
      path,
      access: mount.access(`${permissions}_read`),
      operation_id: `list${nounOf(family)}s`,
      summary: `List ${words.many}, newest first`,
      tag,
      query: PageQuery,
      responses: { 200: pageOf(listed) },
      handle: async ({ caller, params, query }) =>
        ok(await items.list(mount.spaceOf({ caller, params }).id, query)),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      access: mount.access(`${permissions}_read`),
      operation_id: `get${nounOf(family)}`,
      summary: `Get ${words.a} with its content`,
      tag,
      params: ItemParams,
      object: ({ caller, params }) => items.get(mount.spaceOf({ caller, params }).id, params.id),
      responses: { 200: record },
      handle: async ({ caller, params }) =>
        tagged(ok, await items.get(mount.spaceOf({ caller, params }).id, params.id)),
    }),
  ];
}

function writingRoutes(family: ItemFamily, items: Items, mount: Mount): Route[] {
  const { permissions, words, tag, record, draft, change, creating_ms, draft_errors } = family;
  const path = pathOf(family, mount);
  return [
    defineRoute({
      method: 'POST',
      path,
      access: mount.access(`${permissions}_create`),
      operation_id: `create${nounOf(family)}`,
      summary: `Create ${words.a}`,
      tag,
      body: draft,
      responses: { 201: record },
      errors: [
        { 409: ['name_taken'], 422: ['limit_reached', ...draft_errors] },
        family.creating_errors ?? {},
      ],
      within_ms: creating_ms,
      handle: async ({ caller, params, body, request }) => {
        const space = mount.spaceOf({ caller, params });
        const itemDraft = await items.kind.draftOf(body, space);
        return tagged(created, await items.create(space, itemDraft, authorityOf(caller, request)));
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/{id}`,
      access: mount.access(`${permissions}_update`),
      operation_id: `update${nounOf(family)}`,
      summary: `Change ${words.a}; omitted fields stay`,
      tag,
      params: ItemParams,
      object: ({ caller, params }) => items.get(mount.spaceOf({ caller, params }).id, params.id),
      body: change,
      responses: { 200: record },
      errors: { 409: ['name_taken'], 412: ['version_mismatch'], 422: draft_errors },
      handle: async ({ caller, params, body, request }) => {
        const next = (stored: Draft<object>) => family.merge(stored, body);
        const edit = { if_match: request.if_match, next };
        const [space, by] = [mount.spaceOf({ caller, params }), authorityOf(caller, request)];
        return tagged(ok, await items.edit(space, params.id, edit, by));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      access: mount.access(`${permissions}_delete`),
      operation_id: `delete${nounOf(family)}`,
      summary: `Delete ${words.a} and its entries in policies`,
      tag,
      params: ItemParams,
      object: ({ caller, params }) => items.get(mount.spaceOf({ caller, params }).id, params.id),
      responses: { 204: null },
      errors: { 412: ['version_mismatch'] },
      handle: async ({ caller, params, request }) => {
        const [space, by] = [mount.spaceOf({ caller, params }), authorityOf(caller, request)];
        await items.remove(space, params.id, request.if_match, by);
        return noContent();
      },
    }),
  ];
}

function historyRoutes(family: ItemFamily, items: Items, mount: Mount): Route[] {
  const { permissions, words, tag, record, draft_errors } = family;
  const path = pathOf(family, mount);
  return [
    defineRoute({
      method: 'GET',
      path: `${path}/{id}/versions`,
      access: mount.access(`${permissions}_read`),
      operation_id: `list${nounOf(family)}Versions`,
      summary: `List versions of ${words.a}, newest first; the first is active`,
      tag,
      params: ItemParams,
      object: ({ caller, params }) => items.get(mount.spaceOf({ caller, params }).id, params.id),
      responses: { 200: z.object({ data: z.array(VersionRecord), next_cursor: z.null() }) },
      handle: async ({ caller, params }) =>
        ok({
          data: await items.versions(mount.spaceOf({ caller, params }).id, params.id),
          next_cursor: null,
        }),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}/versions/{version}`,
      access: mount.access(`${permissions}_read`),
      operation_id: `get${nounOf(family)}Version`,
      summary: `Get one version of ${words.a}`,
      tag,
      params: VersionParams,
      object: ({ caller, params }) =>
        items.version(mount.spaceOf({ caller, params }).id, params.id, params.version),
      responses: { 200: record },
      handle: async ({ caller, params }) =>
        ok(await items.version(mount.spaceOf({ caller, params }).id, params.id, params.version)),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}/versions/{version}/restore`,
      access: mount.access(`${permissions}_update`),
      operation_id: `restore${nounOf(family)}Version`,
      summary: 'Restore an earlier version as a new version',
      tag,
      params: VersionParams,
      object: ({ caller, params }) =>
        items.version(mount.spaceOf({ caller, params }).id, params.id, params.version),
      responses: { 200: record },
      errors: { 409: ['name_taken'], 412: ['version_mismatch'], 422: draft_errors },
      handle: async ({ caller, params, request }) => {
        const from = { version: params.version, if_match: request.if_match };
        const by = authorityOf(caller, request);
        return tagged(
          ok,
          await items.restore(mount.spaceOf({ caller, params }), params.id, from, by),
        );
      },
    }),
  ];
}

const tagged = <Status extends number>(
  reply: (body: unknown) => Reply<Status>,
  record: ItemRecord,
): Reply<Status> => ({
  ...reply(record),
  headers: { etag: etagOf(record.version) },
});

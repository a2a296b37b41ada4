import { z } from 'zod';
import { actorOf } from '../../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Reply, Route } from '../../caller/route.ts';
import { pageOf, PageQuery } from '../../platform/pages.ts';
import type { Items } from './items.ts';
import { spaceOf } from './kind.ts';
import type { Draft } from './kind.ts';
import type { ItemRecord } from './records.ts';
import { etagOf } from './refusals.ts';
import { ItemParams, VersionParams, VersionRecord } from './schema.ts';

export interface ItemRoutes<
  Content extends object,
  Body extends z.ZodType,
  Change extends z.ZodType,
> {
  items: Items<Content>;
  /** Below `/api/me`, and the group of the permissions that guard it. */
  path: string;
  permissions: 'prompts' | 'resources' | 'agents' | 'tools';
  /** As people read it: `prompt`. */
  noun: string;
  tag: string;
  /** What is sent to create one, and to change one. */
  draft: Body;
  change: Change;
  /** What is answered: one with its content, one of a list. */
  record: z.ZodType;
  listed: z.ZodType;
  draftOf(body: z.infer<Body>, account_id: string): Draft<Content> | Promise<Draft<Content>>;
  /** What a merge makes of the stored one; fields that are not sent stay. */
  merge(stored: Draft<Content>, change: z.infer<Change>): Draft<Content>;
}

/** The REST of one family: list, create, read, change, delete, and its history. */
export function itemRoutes<
  Content extends object,
  Body extends z.ZodType,
  Change extends z.ZodType,
>(family: ItemRoutes<Content, Body, Change>): Route[] {
  const path = `/api/me/${family.path}`;
  return [
    ...readingRoutes(family, path),
    ...writingRoutes(family, path),
    ...historyRoutes(family, path),
  ];
}

function readingRoutes<Content extends object, Body extends z.ZodType, Change extends z.ZodType>(
  family: ItemRoutes<Content, Body, Change>,
  path: string,
): Route[] {
  const { items, permissions, noun, tag, record } = family;
  return [
    defineRoute({
      method: 'GET',
      path,
      access: { personal: `${permissions}_read` },
      summary: `Your ${family.path}, newest first`,
      tag,
      query: PageQuery,
      responses: { 200: pageOf(family.listed) },
      handle: async ({ caller, query }) => ok(await items.list(caller.account_id, query)),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      access: { personal: `${permissions}_read` },
      summary: `One ${noun} with its content`,
      tag,
      params: ItemParams,
      responses: { 200: record },
      handle: async ({ caller, params }) =>
        tagged(ok, await items.get(caller.account_id, params.id)),
    }),
  ];
}

function writingRoutes<Content extends object, Body extends z.ZodType, Change extends z.ZodType>(
  family: ItemRoutes<Content, Body, Change>,
  path: string,
): Route[] {
  const { items, permissions, noun, tag, record, draft, change } = family;
  return [
    defineRoute({
      method: 'POST',
      path,
      access: { personal: `${permissions}_create` },
      summary: `Create a ${noun}`,
      tag,
      body: draft,
      responses: { 201: record },
      handle: async ({ caller, body, request }) =>
        tagged(
          created,
          await items.create(
            spaceOf(caller),
            await family.draftOf(body as z.infer<Body>, caller.account_id),
            actorOf(caller, request),
          ),
        ),
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/{id}`,
      access: { personal: `${permissions}_update` },
      summary: `Change a ${noun}; what is not sent stays`,
      tag,
      params: ItemParams,
      body: change,
      responses: { 200: record },
      handle: async ({ caller, params, body, request }) => {
        const next = (stored: Draft<Content>) => family.merge(stored, body as z.infer<Change>);
        const edit = { if_match: request.if_match, next };
        return tagged(
          ok,
          await items.edit(spaceOf(caller), params.id, edit, actorOf(caller, request)),
        );
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      access: { personal: `${permissions}_delete` },
      summary: `Delete a ${noun}; policies that name it lose it`,
      tag,
      params: ItemParams,
      responses: { 204: null },
      handle: async ({ caller, params, request }) => {
        await items.remove(spaceOf(caller), params.id, request.if_match, actorOf(caller, request));
        return noContent();
      },
    }),
  ];
}

function historyRoutes<Content extends object, Body extends z.ZodType, Change extends z.ZodType>(
  { items, permissions, noun, tag, record }: ItemRoutes<Content, Body, Change>,
  path: string,
): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${path}/{id}/versions`,
      access: { personal: `${permissions}_read` },
      summary: `The versions of a ${noun}, newest first; the first is the active one`,
      tag,
      params: ItemParams,
      responses: { 200: z.object({ data: z.array(VersionRecord), next_cursor: z.null() }) },
      handle: async ({ caller, params }) =>
        ok({ data: await items.versions(caller.account_id, params.id), next_cursor: null }),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}/versions/{version}`,
      access: { personal: `${permissions}_read` },
      summary: `A ${noun} as it was in one version`,
      tag,
      params: VersionParams,
      responses: { 200: record },
      handle: async ({ caller, params }) =>
        ok(await items.version(caller.account_id, params.id, params.version)),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}/versions/{version}/restore`,
      access: { personal: `${permissions}_update` },
      summary: `Make an earlier version the active one, as a new version`,
      tag,
      params: VersionParams,
      responses: { 200: record },
      handle: async ({ caller, params, request }) => {
        const from = { version: params.version, if_match: request.if_match };
        const actor = actorOf(caller, request);
        return tagged(ok, await items.restore(spaceOf(caller), params.id, from, actor));
      },
    }),
  ];
}

const tagged = (reply: (body: unknown) => Reply, record: ItemRecord): Reply => ({
  ...reply(record),
  headers: { etag: etagOf(record.version) },
});

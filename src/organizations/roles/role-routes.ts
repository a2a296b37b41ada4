import type { z } from 'zod';
import type { ObjectAccess } from '../../caller/access.ts';
import type { Principal } from '../../caller/principal.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { searchQuery } from '../../platform/http/list-query.ts';
import { pageOf } from '../../platform/http/pages.ts';
import type { Place } from '../grants/place.ts';
import type { Roles } from './roles.ts';
import { RoleDeletion, RoleDraft, RoleEdit } from './schema.ts';
import type { RoleRecord } from './schema.ts';

type Operation = 'list' | 'create' | 'get' | 'update' | 'delete';

/** The routes of the roles of one kind of place. */
export interface RoleRoutes<In extends Place, Listed extends RoleRecord> {
  /** Read only when a request arrives: the API document is also built without the operations. */
  owner: { roles: Roles<Listed> };
  /** Path of the list. */
  path: string;
  tag: string;
  on: ObjectAccess['on'];
  /** Prefix of the permissions: `roles` or `team_roles`. */
  permissions: string;
  /** Names the operations in the API reference. */
  operations: Record<
    Operation,
    { operation_id: string; summary: string; description?: string | undefined }
  >;
  place: z.ZodType<In>;
  role: z.ZodType<In & { role_id: string }>;
  record: z.ZodType<Listed>;
  /** Errors 422 of a role that the caller must not change here. */
  foreign?: readonly ErrorCode[];
  /** Errors 422 of what replaces a deleted role. */
  replacement?: readonly ErrorCode[];
  /** Throws 404 unless the caller is in the place. */
  requireInside?(caller: Principal, place: In): Promise<unknown>;
}

const CONTENT_ERRORS = ['capability_escalation', 'permission_not_held'] as const;

export const declareRoleRoutes = <In extends Place, Listed extends RoleRecord>(
  described: RoleRoutes<In, Listed>,
): Route[] => [...listRoutes(described), ...recordRoutes(described)];

const accessOf = (
  { on, permissions }: Pick<RoleRoutes<Place, RoleRecord>, 'on' | 'permissions'>,
  action: 'read' | 'create' | 'update' | 'delete',
): ObjectAccess => ({ on, permission: `${permissions}_${action}` });

function listRoutes<In extends Place, Listed extends RoleRecord>(
  described: RoleRoutes<In, Listed>,
): Route[] {
  const { owner, path, tag, operations, place: params, record, requireInside } = described;
  const object = requireInside && {
    object: (input: { caller: Principal; params: In }) => requireInside(input.caller, input.params),
  };
  return [
    defineRoute({
      method: 'GET',
      ...{ path, tag, params, ...operations.list, ...object },
      access: accessOf(described, 'read'),
      query: searchQuery(),
      responses: { 200: pageOf(record) },
      handle: async ({ params: place, query }) => ok(await owner.roles.list(place, query)),
    }),
    defineRoute({
      method: 'POST',
      ...{ path, tag, params, ...operations.create, ...object },
      access: accessOf(described, 'create'),
      body: RoleDraft,
      responses: { 201: record },
      errors: {
        409: ['name_taken'],
        422: ['limit_reached', ...CONTENT_ERRORS, 'unknown_permission'],
      },
      handle: async ({ caller, params: place, body, request }) =>
        created(await owner.roles.create(caller, place, body, request)),
    }),
  ];
}

function recordRoutes<In extends Place, Listed extends RoleRecord>(
  described: RoleRoutes<In, Listed>,
): Route[] {
  const { owner, tag, operations, role: params, record } = described;
  const { foreign = [], replacement = [], requireInside } = described;
  const path = `${described.path}/{role_id}`;
  /** Throws 404 unless the role exists there, and the caller is in the place. */
  const object = async (input: { caller: Principal; params: In & { role_id: string } }) => {
    await requireInside?.(input.caller, input.params);
    await owner.roles.get(input.params);
  };
  return [
    defineRoute({
      method: 'GET',
      ...{ path, tag, params, object, ...operations.get },
      access: accessOf(described, 'read'),
      responses: { 200: record },
      handle: async ({ params: role }) => ok(await owner.roles.get(role)),
    }),
    defineRoute({
      method: 'PATCH',
      ...{ path, tag, params, object, ...operations.update },
      access: accessOf(described, 'update'),
      body: RoleEdit,
      responses: { 200: record },
      errors: {
        409: ['name_taken'],
        422: ['system_role', ...CONTENT_ERRORS, 'unknown_permission', ...foreign],
      },
      handle: async ({ caller, params: role, body, request }) =>
        ok(await owner.roles.update(caller, role, body, request)),
    }),
    defineRoute({
      method: 'DELETE',
      ...{ path, tag, params, object, ...operations.delete },
      access: accessOf(described, 'delete'),
      query: RoleDeletion,
      responses: { 204: null },
      errors: {
        409: ['role_in_use'],
        422: ['system_role', ...CONTENT_ERRORS, 'unknown_role', ...replacement, ...foreign],
      },
      async handle({ caller, params: role, query, request }) {
        await owner.roles.delete(caller, role, query, request);
        return noContent();
      },
    }),
  ];
}

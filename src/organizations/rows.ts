import { z } from 'zod';
import { capabilities } from '../authz/permissions.ts';
import { sql } from '../platform/postgres/database.ts';

/** A role as read from the database; a system role has only an id. */
export const HeldRoleRow = z.object({
  id: z.string(),
  custom: z
    .object({
      name: z.string(),
      permissions: z.array(z.string()),
      capabilities: z.array(z.enum(capabilities)),
    })
    .nullable(),
});

/** Aggregates roles `r`, left-joined with custom roles `c`, to `HeldRoleRow`s. */
export const heldRoles = sql.fragment`
  coalesce(json_agg(json_build_object('id', r.role_id, 'custom',
    CASE WHEN c.id IS NOT NULL THEN json_build_object('name', c.name,
      'permissions', c.permissions, 'capabilities', c.capabilities) END) ORDER BY r.role_id), '[]')`;

import { z } from 'zod';
import { capabilities } from '../authz/permissions.ts';
import { sql } from '../platform/postgres/database.ts';
import { foldCase } from '../platform/text/fold-case.ts';
import type { NamedRole, RoleContent } from './roles/kind.ts';

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

/**
 * Aggregates the roles of a FROM clause to `HeldRoleRow`s: roles `r`, left-joined with custom roles
 * `c`. A deleted role that its holders still have appears as the one that replaces it.
 */
export const heldRoles = (from: ReturnType<typeof sql.fragment>) => sql.fragment`(
  SELECT coalesce(json_agg(json_build_object('id', held.id, 'custom', held.custom) ORDER BY held.id),
    '[]')
  FROM (
    SELECT DISTINCT ON (id) coalesce(c.replaced_by, r.role_id) AS id,
      CASE WHEN c.id IS NOT NULL THEN json_build_object('name', c.name,
        'permissions', c.permissions, 'capabilities', c.capabilities) END AS custom
    FROM ${from}) AS held)`;

const contentColumns = ({ permissions, capabilities: allowed }: RoleContent) => sql.fragment`
  permissions = ${sql.array([...permissions], 'text')},
  capabilities = ${sql.array([...allowed], 'text')}`;

/** Assigns the fields of a custom role that people edit. */
export const editedColumns = (
  role: Omit<NamedRole, 'id'> & { description: string },
) => sql.fragment`
  name = ${role.name}, folded_name = ${foldCase(role.name)}, description = ${role.description},
  ${contentColumns(role)}`;

/**
 * Marks a custom role as deleted and gives it the content of its replacement, or none: all who have
 * it have that from then on.
 */
export const deletedColumns = (replacement: NamedRole | null) => sql.fragment`
  deleted_at = coalesce(deleted_at, now()), replaced_by = ${replacement?.id ?? null},
  name = coalesce(${replacement?.name ?? null}, name),
  ${contentColumns(replacement ?? { permissions: [], capabilities: [] })}`;

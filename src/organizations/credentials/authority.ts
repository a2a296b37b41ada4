import { z } from 'zod';
import { capabilities } from '../../authz/permissions.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { CredentialTable, CredentialOwner } from './kinds.ts';

const AuthorityRow = z.object({
  id: z.string(),
  /** The organization that it works in; null if it works in its person's account. */
  runs_in: z.string().nullable(),
  follows_teams: z.boolean(),
  /** Whether it has the authority of its OAuth client, and not its person's (SC4). */
  has_own_authority: z.boolean(),
  /** Null for a key, which has capabilities and grants instead. */
  scopes: z.array(z.string()).nullable(),
  mcp_capabilities: z.array(z.enum(capabilities)),
  grants: z.array(
    z.object({
      scope: z.discriminatedUnion('type', [
        z.object({ type: z.literal('personal') }),
        z.object({ type: z.literal('org'), org_id: z.string() }),
      ]),
      permissions: z.array(z.string()).default([]),
    }),
  ),
});
/** The stored authority of a live credential. */
export type AuthorityRow = z.infer<typeof AuthorityRow>;

const columns: Readonly<Record<CredentialTable['table'], ReturnType<typeof sql.fragment>>> = {
  api_key: sql.fragment`id, coalesce(org_scope, organization_id) AS runs_in, follows_teams, false AS has_own_authority,
    NULL::text[] AS scopes, mcp_capabilities, grants`,
  oauth_connection: sql.fragment`id, organization_id AS runs_in, follows_teams, has_own_authority,
    scopes, '{}'::text[] AS mcp_capabilities, '[]'::jsonb AS grants`,
};

/** Matches the credentials of a person, or those that belong to an organization. */
const ownedBy = ({ kind, id }: CredentialOwner) =>
  kind === 'account'
    ? sql.fragment`account_id = ${id}`
    : sql.fragment`organization_id = ${id} AND account_id IS NULL`;

/** Lists what an owner's live credentials, or the one with this id, may do. */
export function listAuthority(
  db: Queryable,
  kind: CredentialTable,
  { owner, id }: { owner: CredentialOwner; id: string | null },
) {
  return db.any(sql.type(AuthorityRow)`
    SELECT ${columns[kind.table]} FROM ${sql.identifier([kind.table])}
    WHERE ${ownedBy(owner)} AND revoked_at IS NULL
      AND (${id}::uuid IS NULL OR id = ${id}::uuid)`);
}

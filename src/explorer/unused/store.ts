import { z } from 'zod';
import { capabilities } from '../../authz/permissions.ts';
import { knownAddress } from '../../caller/membership.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';

/** A permission or capability that a credential used in an organization. */
export interface Use {
  organization_id: string;
  credential_id: string;
  /** As in grants; a capability as in scopes. */
  permission: string;
  /** The day, UTC: `YYYY-MM-DD`. */
  last_used_on: string;
}

/** Saves the days of last uses; a later day stays. */
export async function saveUses(db: Queryable, uses: readonly Use[]): Promise<void> {
  const rows = uses.map(({ organization_id, credential_id, permission, last_used_on }) => [
    ...[organization_id, credential_id, permission, last_used_on],
  ]);
  await db.query(sql.typeAlias('void')`
    INSERT INTO permission_use (organization_id, credential_id, permission, last_used_on)
    SELECT * FROM ${sql.unnest(rows, ['uuid', 'uuid', 'text', 'date'])} AS used
    ORDER BY 2, 1, 3
    ON CONFLICT (credential_id, organization_id, permission) DO UPDATE
      SET last_used_on = excluded.last_used_on
      WHERE permission_use.last_used_on < excluded.last_used_on`);
}

/** Deletes uses that no question reaches back to. */
export const sweepUses = (db: Queryable): Promise<void> =>
  sweepOlder(db, { table: 'permission_use', column: 'last_used_on', age: '400 days' });

const CarrierRow = z.object({
  kind: z.enum(['key', 'organization_key', 'connection', 'client']),
  id: z.string(),
  name: z.string(),
  owner: z.object({ account_id: z.string(), email: z.string().nullable() }).nullable(),
  /** Whether it works in the organization over MCP. */
  runs_here: z.boolean(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  /** Grants of a key, scopes of the others. */
  permissions: z.array(z.string()),
  capabilities: z.array(z.enum(capabilities)),
  /** Whether it, or the recording, is younger than the period, and it was used in the period. */
  is_uncertain: z.boolean(),
  uses: z.array(z.object({ permission: z.string(), on: z.string(), is_recent: z.boolean() })),
});
export type CarrierRow = z.infer<typeof CarrierRow>;

/**
 * Lists live credentials that reach into an organization and are older than the period, newest first, with
 * what they carry there and what they have used.
 */
export function listCarriers(
  db: Queryable,
  organization_id: string,
  { days, after, limit }: { days: number; after: string | null; limit: number },
): Promise<readonly CarrierRow[]> {
  const granted = sql.jsonb([{ scope: { type: 'org', org_id: organization_id } }]);
  const member = sql.fragment`
    EXISTS (SELECT FROM membership m WHERE m.organization_id = ${organization_id}
      AND m.account_id = carrier.account_id AND m.left_at IS NULL)`;
  const from = sql.fragment`(now() - make_interval(days => ${days}))`;
  return db.any(sql.type(CarrierRow)`
    WITH carrier AS (
      SELECT CASE WHEN k.organization_id IS NULL THEN 'key' ELSE 'organization_key' END AS kind,
        k.id, k.name, k.account_id, coalesce(k.runs_in = ${organization_id}, false) AS runs_here,
        k.created_at, k.last_used_at,
        coalesce((SELECT jsonb_agg(granted) FROM jsonb_array_elements(k.grants) AS g,
          jsonb_array_elements_text(g -> 'permissions') AS each (granted)
          WHERE g #>> '{scope,org_id}' = ${organization_id}), '[]') AS permissions,
        CASE WHEN k.runs_in = ${organization_id} THEN to_jsonb(k.mcp_capabilities) ELSE '[]' END
          AS capabilities
      FROM api_key k
      WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        AND (k.organization_id = ${organization_id}
          OR k.account_id IS NOT NULL
            AND (k.org_scope = ${organization_id} OR k.grants @> ${granted}))
      UNION ALL
      SELECT CASE c.kind WHEN 'machine' THEN 'client' ELSE 'connection' END, c.id, l.name,
        c.account_id, true, c.created_at, c.last_used_at,
        coalesce((SELECT jsonb_agg(scope) FROM unnest(c.scopes) AS each (scope)
          WHERE scope NOT LIKE 'mcp\\_%'), '[]'),
        coalesce((SELECT jsonb_agg(substr(scope, 5)) FROM unnest(c.scopes) AS each (scope)
          WHERE scope LIKE 'mcp\\_%'), '[]')
      FROM oauth_connection c
      JOIN oauth_client l ON l.id = c.client_id AND l.disabled_at IS NULL
      WHERE c.organization_id = ${organization_id}
        AND c.revoked_at IS NULL AND c.activated_at IS NOT NULL
    )
    SELECT kind, carrier.id, carrier.name, runs_here, carrier.created_at, permissions, capabilities,
      CASE WHEN runs_here THEN carrier.last_used_at END AS last_used_at,
      began_at > ${from} AND began_at > carrier.created_at
        AND coalesce(carrier.last_used_at >= ${from}, false) AS is_uncertain,
      (SELECT jsonb_build_object('account_id', a.id, 'email', ${knownAddress})
        FROM account a LEFT JOIN membership m
          ON m.account_id = a.id AND m.organization_id = ${organization_id}
        WHERE a.id = carrier.account_id) AS owner,
      coalesce((SELECT jsonb_agg(jsonb_build_object('permission', u.permission,
          'on', u.last_used_on, 'is_recent', u.last_used_on >= (${from} AT TIME ZONE 'UTC')::date))
        FROM permission_use u
        WHERE u.credential_id = carrier.id AND u.organization_id = ${organization_id}), '[]') AS uses
    FROM carrier, permission_use_start
    WHERE carrier.created_at <= ${from} AND (${after}::uuid IS NULL OR carrier.id < ${after}::uuid)
      AND (carrier.account_id IS NULL OR ${member})
    ORDER BY carrier.id DESC LIMIT ${limit}`);
}

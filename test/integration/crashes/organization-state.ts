import { setTimeout as pause } from 'node:timers/promises';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';

export interface SecretKey {
  id: string;
  secret: string;
}

/** An organization's rows, described without ids, and what each key sees. */
export interface OrganizationState {
  rows: readonly string[];
  seen: Readonly<Record<string, readonly string[] | 'refused'>>;
}

const roles = (table: 'organization' | 'team', where: string) => `
  coalesce((
    SELECT string_agg(coalesce(r.name, right(one.role_id::text, 1)), '+' ORDER BY r.name)
    FROM ${table === 'organization' ? 'membership_role' : 'team_member_role'} one
    LEFT JOIN ${table}_role r ON r.id = one.role_id WHERE ${where}), 'no role')`;

const place = `CASE s.kind WHEN 'team' THEN (SELECT name FROM team WHERE id = s.id) ELSE s.kind END`;

// People are named by the part of their address before the first dash, keys by their first word.
const ROWS = `
  WITH o AS (SELECT * FROM organization WHERE name = $1)
  SELECT 'organization' || CASE WHEN deleted_at IS NULL THEN '' ELSE ' deleted' END AS row FROM o
  UNION ALL SELECT concat('member ', split_part(a.email, '-', 1), ': ',
      ${roles('organization', 'one.membership_id = m.id')})
    FROM o JOIN membership m ON m.organization_id = o.id JOIN account a ON a.id = m.account_id
    WHERE m.left_at IS NULL
  UNION ALL SELECT concat('seat of ', split_part(a.email, '-', 1), ' in ', t.name, ': ',
      ${roles('team', 'one.membership_id = m.id AND one.team_id = t.id')})
    FROM o JOIN team_member s ON s.organization_id = o.id JOIN team t ON t.id = s.team_id
    JOIN membership m ON m.id = s.membership_id JOIN account a ON a.id = m.account_id
  UNION ALL SELECT concat('role ', r.name, ': ', r.permissions, r.capabilities)
    FROM o JOIN organization_role r ON r.organization_id = o.id
  UNION ALL SELECT concat('team role ', r.name, ': ', r.permissions, r.capabilities)
    FROM o JOIN team_role r ON r.organization_id = o.id
  UNION ALL SELECT concat('team ', t.name, CASE WHEN t.deleted_at IS NULL THEN '' ELSE ' deleted' END)
    FROM o JOIN team t ON t.organization_id = o.id
  UNION ALL SELECT concat('key ', split_part(k.name, ' ', 1), CASE WHEN k.revoked_at IS NULL THEN '' ELSE ' revoked' END,
      CASE WHEN k.follows_teams THEN ' follows' ELSE '' END)
    FROM o JOIN api_key k ON k.runs_in = o.id
  UNION ALL SELECT concat('key ', split_part(k.name, ' ', 1), ' in ', t.name)
    FROM o JOIN api_key k ON k.runs_in = o.id JOIN api_key_team b ON b.key_id = k.id
    JOIN team t ON t.id = b.team_id
  UNION ALL SELECT concat('grant of key ', split_part(k.name, ' ', 1))
    FROM o JOIN api_key k ON k.grants::text LIKE '%' || o.id || '%'
  UNION ALL SELECT concat('invitation ', split_part(i.email, '-', 1), ' ', i.status)
    FROM o JOIN organization_invitation i ON i.organization_id = o.id
  UNION ALL SELECT concat('item ', i.name, ' in ', ${place}, ' ', i.head ->> 'organization_wide')
    FROM o JOIN space s ON s.organization_id = o.id JOIN item i ON i.space_id = s.id
  UNION ALL SELECT concat('tool ', t.tool_id, ' ', t.organization_wide)
    FROM o JOIN space s ON s.organization_id = o.id JOIN tool_selection t ON t.space_id = s.id
  ORDER BY 1`;

const MAX_ATTEMPTS = 20;

/** Returns what a key sees on a gateway; retries while a change is not in OpenFGA yet. */
async function seenBy(
  { secret }: SecretKey,
  { url }: Gateway,
): Promise<readonly string[] | 'refused'> {
  const names: string[] = [];
  for (const [method, member] of [
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
  ] as const) {
    for (let attempt = 1; ; attempt += 1) {
      const { status, body } = await ask(`${url}/mcp`, { 'x-api-key': secret }, method);
      // A person who is no longer a member gets a 404 (A6).
      if (status === 401 || status === 404) return 'refused';
      if (status === 200 && body.error === undefined) {
        const listed = (body.result as unknown as Record<string, { name: string }[]>)[member]!;
        names.push(...listed.map(({ name }) => name));
        break;
      }
      const isOutage = status === 503 || body.error?.code === -32603;
      if (!isOutage && body.error?.code === -32601) break;
      if (!isOutage || attempt === MAX_ATTEMPTS)
        throw new Error(`${method}: ${status} ${JSON.stringify(body)}`);
      await pause(200);
    }
  }
  return names.toSorted();
}

export async function stateOf(
  { query }: Pick<World, 'query'>,
  gateway: Gateway,
  { name, keys }: { name: string; keys: Readonly<Record<string, SecretKey>> },
): Promise<OrganizationState> {
  const seen: Record<string, readonly string[] | 'refused'> = {};
  for (const [of, key] of Object.entries(keys)) seen[of] = await seenBy(key, gateway);
  const rows = await query<{ row: string }>(ROWS, [name]);
  return { rows: rows.map(({ row }) => row), seen };
}

import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';

type Fragment = ReturnType<typeof sql.fragment>;

const SubjectRow = z.object({
  kind: z.enum(['member', 'api_key', 'org_key', 'connection', 'machine']),
  id: z.string(),
  name: z.string().nullable(),
  account_id: z.string().nullable(),
  /** Whether it works over MCP where the change is made. */
  lists: z.boolean(),
});
export type SubjectRow = z.infer<typeof SubjectRow>;
const CountedRow = SubjectRow.extend({ total: z.number() });

/** The members and credentials that a change in an organization may affect. */
export interface Affected {
  organization_id: string;
  /**
   * Credentials that are bound to a team or follow it; members, those of a role or one, with all their
   * credentials; or all credentials.
   */
  by: { team_id: string } | { role_id: string } | { account_id: string } | 'all';
}

/** What a viewer may view of an organization; what is the viewer's own is always included. */
export interface Viewer {
  account_id: string;
  members: boolean;
  keys: boolean;
  clients: boolean;
}

export interface Subjects {
  rows: readonly SubjectRow[];
  /** Their number without the limit. */
  total: number;
}

async function first(db: Queryable, all: Fragment, limit: number): Promise<Subjects> {
  const rows = await db.any(sql.type(CountedRow)`
    SELECT kind, id, name, account_id, lists, count(*) OVER () AS total
    FROM (${all}) AS subject (part, kind, id, name, account_id, lists)
    ORDER BY part, id LIMIT ${limit}`);
  return { rows: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
}

/** Returns the first of a person's credentials that work in the person's account. */
export function listPersonalCredentials(db: Queryable, account_id: string, limit: number) {
  return first(
    db,
    sql.fragment`
      SELECT 1, 'api_key', k.id, k.name, k.account_id, true FROM api_key k
      WHERE k.account_id = ${account_id} AND k.org_scope IS NULL AND ${isLiveKey}
      UNION ALL
      SELECT 2, 'connection', c.id, l.name, c.account_id, true FROM ${liveConnections}
        AND c.account_id = ${account_id} AND c.organization_id IS NULL`,
    limit,
  );
}

/** Returns the first members and credentials that the change may affect and the viewer may view. */
export function listAffected(db: Queryable, affected: Affected, viewer: Viewer, limit: number) {
  const { organization_id, by } = affected;
  const isOwn = sql.fragment`m.account_id = ${viewer.account_id}`;
  const members = sql.fragment`
    membership m JOIN account a ON a.id = m.account_id AND a.status = 'active'
    WHERE m.organization_id = ${organization_id} AND m.left_at IS NULL ${memberCondition(affected)}`;
  const granted = sql.jsonb([{ scope: { type: 'org', org_id: organization_id } }]);
  const isNamed = typeof by === 'object' && 'account_id' in by;
  const ofMembers = sql.fragment`
    SELECT 2, 'api_key', k.id, k.name, k.account_id, coalesce(k.org_scope = ${organization_id}, false)
    FROM api_key k JOIN (SELECT m.id, m.account_id, a.credentials_ended FROM ${members}) m
      ON m.account_id = k.account_id
    WHERE ${isLiveKey} AND NOT m.credentials_ended @> k.created_at
      AND ${reachesByKey(affected, granted)}
      AND (${viewer.keys && viewer.members} OR ${isOwn})
    UNION ALL
    SELECT 4, 'connection', c.id, c.name, c.account_id, true
    FROM (SELECT c.*, l.name FROM ${liveConnections} AND c.organization_id = ${organization_id}) c
    JOIN (SELECT m.id, m.account_id, a.credentials_ended FROM ${members}) m
      ON m.account_id = c.account_id
    WHERE NOT m.credentials_ended @> c.created_at
      AND ${isInTeam(affected, CONNECTIONS)} AND (${viewer.clients} OR ${isOwn})`;
  const holders = sql.fragment`
    SELECT 1, 'member', m.account_id, a.email, m.account_id, false FROM ${members}
      AND (${viewer.members || isNamed} OR ${isOwn})`;
  const services = sql.fragment`
    SELECT 3, 'org_key', k.id, k.name, NULL::uuid, true FROM api_key k
    WHERE k.organization_id = ${organization_id} AND ${isLiveKey}
      AND ${isInTeam(affected, KEYS)} AND ${viewer.keys}
    UNION ALL
    SELECT 5, 'machine', c.id, l.name, NULL, true FROM ${liveConnections}
      AND c.organization_id = ${organization_id} AND c.kind = 'machine'
      AND ${isInTeam(affected, CONNECTIONS)} AND ${viewer.clients}`;
  const others = byMembers(affected) ? holders : services;
  return first(db, sql.fragment`${others} UNION ALL ${ofMembers}`, limit);
}

const isLiveKey = sql.fragment`
  k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;
const liveConnections = sql.fragment`
  oauth_connection c JOIN oauth_client l ON l.id = c.client_id AND l.disabled_at IS NULL
  WHERE c.revoked_at IS NULL AND c.activated_at IS NOT NULL`;

const byMembers = ({ by }: Affected) =>
  typeof by === 'object' && ('role_id' in by || 'account_id' in by);

/** Limits `membership m`; people may still have deleted roles, which the role replaces. */
function memberCondition({ organization_id, by }: Affected): Fragment {
  if (typeof by === 'object' && 'account_id' in by)
    return sql.fragment`AND m.account_id = ${by.account_id}`;
  if (typeof by === 'object' && 'role_id' in by)
    return sql.fragment`AND m.id IN (SELECT r.membership_id FROM membership_role r
      WHERE r.organization_id = ${organization_id} AND (r.role_id = ${by.role_id}
        OR r.role_id IN (SELECT o.id FROM organization_role o
          WHERE o.organization_id = ${organization_id} AND o.replaced_by = ${by.role_id})))`;
  return sql.fragment``;
}

/** A role also decides what a key that only has a grant for the organization may do there. */
const reachesByKey = (affected: Affected, granted: ReturnType<typeof sql.jsonb>) =>
  byMembers(affected)
    ? sql.fragment`(k.org_scope = ${affected.organization_id} OR k.grants @> ${granted})`
    : sql.fragment`k.org_scope = ${affected.organization_id} AND ${isInTeam(affected, KEYS)}`;

const KEYS = {
  row: sql.fragment`k`,
  isBound: (team_id: string) =>
    sql.fragment`SELECT FROM api_key_team b WHERE b.key_id = k.id AND b.team_id = ${team_id}`,
};
const CONNECTIONS = {
  row: sql.fragment`c`,
  isBound: (team_id: string) =>
    sql.fragment`SELECT FROM oauth_connection_team b
      WHERE b.connection_id = c.id AND b.team_id = ${team_id}`,
};

/** Whether a credential is bound to the team, or follows it. */
function isInTeam({ by }: Affected, { row, isBound }: typeof KEYS): Fragment {
  if (typeof by === 'string' || !('team_id' in by)) return sql.fragment`true`;
  const { team_id } = by;
  return sql.fragment`CASE WHEN NOT ${row}.follows_teams THEN EXISTS (${isBound(team_id)})
    WHEN ${row}.account_id IS NULL THEN true
    ELSE EXISTS (SELECT FROM team_member s JOIN membership p ON p.id = s.membership_id
      WHERE s.team_id = ${team_id} AND p.account_id = ${row}.account_id) END`;
}

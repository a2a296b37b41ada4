import { z } from 'zod';
import { knownAddress } from '../../caller/membership.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

type Fragment = ReturnType<typeof sql.fragment>;

const Seat = z.tuple([z.string(), z.array(z.string())]);

/**
 * A member, or a live credential that reaches into an organization. Rows with the same `home` have
 * the same permissions in the organization and, with equal seats, bindings and `follows`, in a team;
 * those with the same `reach` have the same items outside of members' own spaces. Whether a credential
 * is usable is part of neither.
 */
const SubjectRow = z.object({
  kind: z.enum(['member', 'key', 'organization_key', 'connection', 'client']),
  id: z.string(),
  name: z.string().nullable(),
  /** The member, or the person that the credential acts for. */
  account_id: z.string().nullable(),
  email: z.string().nullable(),
  /** Whether the person is a member; true for credentials that act for no person. */
  is_member: z.boolean(),
  /** Whether it follows all teams of its person or organization. */
  follows: z.boolean(),
  /** The teams that it is bound to; null for members, and for credentials that follow teams. */
  bound: z.array(z.string()).nullable(),
  /** Seats of the person: teams with the ids of roles, also of deleted ones. */
  seats: z.array(Seat),
  last_used_at: z.string().nullable(),
  created_at: z.string(),
  /** Whether it works only from some addresses, or at some hours. */
  is_restricted: z.boolean(),
  home: z.string(),
  reach: z.string(),
});
export type SubjectRow = z.infer<typeof SubjectRow>;

/** Selects which subjects are read. */
interface Selection {
  /** Only these; a client that acts by itself also by its own id. */
  ids?: readonly string[];
  /** Only members, or only credentials. */
  only?: 'members' | 'credentials';
}

/** Returns the members and the live credentials of an organization: by kind, oldest first. */
export const listSubjects = (
  db: Queryable,
  organization_id: string,
  selection: Selection = {},
): Promise<readonly SubjectRow[]> =>
  db.any(sql.type(SubjectRow)`
    ${selected(organization_id, selection)}
    SELECT kind, id, name, account_id, email, is_member, follows, bound, seats, last_used_at,
      created_at, is_restricted, home, reach
    FROM subject ORDER BY part, id`);

/** One of the subjects that are equal in what decides, with the ids of all of them, oldest first. */
const SubjectClass = SubjectRow.extend({ ids: z.array(z.string()) });
export type SubjectClass = z.infer<typeof SubjectClass>;

/**
 * Returns the classes of subjects with the same `home` or `reach`, by kind. An organization has many
 * subjects in few classes, so this is much less to read than all rows.
 */
export function listClasses(
  db: Queryable,
  organization_id: string,
  by: 'home' | 'reach',
  selection: Pick<Selection, 'only'> = {},
): Promise<readonly SubjectClass[]> {
  const name = sql.identifier([by]);
  return db.any(sql.type(SubjectClass)`
    ${selected(organization_id, selection)},
    class (part, name, ids) AS (
      SELECT part, ${name}, jsonb_agg(id ORDER BY id) FROM subject GROUP BY part, ${name})
    SELECT kind, id, s.name, account_id, email, is_member, follows, bound, seats, last_used_at,
      created_at, is_restricted, home, reach, ids
    FROM class JOIN subject s ON s.part = class.part AND s.id = (ids ->> 0)::uuid
    ORDER BY s.part, s.id`);
}

/** Names the selected rows `subject`. */
function selected(organization_id: string, { ids, only }: Selection): Fragment {
  const isOne = (column: Fragment) =>
    ids === undefined
      ? sql.fragment`true`
      : sql.fragment`${column} = ANY(${sql.array([...ids], 'uuid')})`;
  const parts = [
    ...(only === 'credentials' ? [] : [members(isOne)]),
    ...(only === 'members' ? [] : credentials(organization_id, isOne)),
  ];
  return sql.fragment`
    WITH person AS MATERIALIZED (${people(organization_id, isOne)}),
    subject (part, kind, id, name, account_id, email, is_member, follows, bound, seats,
      last_used_at, created_at, is_restricted, home, reach)
    AS (${sql.join(parts, sql.fragment` UNION ALL `)})`;
}

type IsOne = (column: Fragment) => Fragment;

/** Two different lists of values never have the same digest, as with MD5 they could have. */
const digest = (values: Fragment) =>
  sql.fragment`encode(sha256(convert_to(jsonb_build_array(${values})::text, 'UTF8')), 'hex')`;

/** People who are or were members: a former member's keys remain, and may do nothing. */
const people = (organization_id: string, isOne: IsOne) => sql.fragment`
  SELECT m.id AS membership_id, m.account_id, ${knownAddress} AS email, a.status, a.credentials_ended, m.joined_at,
    m.left_at IS NULL AND a.status = 'active' AS is_member,
    coalesce((SELECT jsonb_agg(r.role_id ORDER BY r.role_id) FROM membership_role r
      WHERE r.membership_id = m.id), '[]') AS roles,
    coalesce((SELECT jsonb_agg(jsonb_build_array(s.team_id, coalesce((
        SELECT jsonb_agg(x.role_id ORDER BY x.role_id) FROM team_member_role x
        WHERE x.team_id = s.team_id AND x.membership_id = m.id), '[]')) ORDER BY s.team_id)
      FROM team_member s JOIN team t ON t.id = s.team_id AND t.deleted_at IS NULL
      WHERE s.membership_id = m.id), '[]') AS seats
  FROM membership m JOIN account a ON a.id = m.account_id
  WHERE m.organization_id = ${organization_id} AND (${isOne(sql.fragment`m.account_id`)}
    OR m.account_id IN (SELECT k.account_id FROM api_key k WHERE ${isOne(sql.fragment`k.id`)}
      UNION ALL SELECT c.account_id FROM oauth_connection c WHERE ${isOne(sql.fragment`c.id`)}))`;

const members = (isOne: IsOne) => sql.fragment`
  SELECT 1, 'member', p.account_id, p.email, p.account_id, p.email, true, true, NULL::uuid[], p.seats,
    NULL::timestamptz, p.joined_at, false, ${digest(sql.fragment`'member', p.roles`)},
    ${digest(sql.fragment`'member', p.roles, p.seats`)}
  FROM person p WHERE p.is_member AND ${isOne(sql.fragment`p.account_id`)}`;

const isRestricted = sql.fragment`k.allowed_addresses IS NOT NULL OR k.hours IS NOT NULL`;
const isLiveKey = sql.fragment`
  k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;
const keyTeams = sql.fragment`CASE WHEN NOT k.follows_teams THEN ARRAY(
  SELECT b.team_id FROM api_key_team b JOIN team t ON t.id = b.team_id AND t.deleted_at IS NULL
  WHERE b.key_id = k.id ORDER BY b.team_id) END`;
const connectionTeams = sql.fragment`CASE WHEN NOT k.follows_teams THEN ARRAY(
  SELECT b.team_id FROM oauth_connection_team b
  JOIN team t ON t.id = b.team_id AND t.deleted_at IS NULL
  WHERE b.connection_id = k.id ORDER BY b.team_id) END`;
// A connection also has the teams of its client only.
const clientTeams = sql.fragment`l.follows_teams, ARRAY(
  SELECT b.team_id FROM oauth_client_team b WHERE b.client_id = l.id ORDER BY b.team_id)`;

function credentials(organization_id: string, isOne: IsOne): Fragment[] {
  const ofOne = isOne(sql.fragment`k.id`);
  const granted = sql.jsonb([{ scope: { type: 'org', org_id: organization_id } }]);
  const runsHere = sql.fragment`coalesce(k.org_scope = ${organization_id}, false)`;
  const keyHome = sql.fragment`k.grants, k.mcp_capabilities`;
  const policies = sql.fragment`k.tool_policy, k.prompt_policy, k.resource_policy, k.agent_policy`;
  const ofPerson = sql.fragment`p.is_member, p.roles`;
  const connectionHome = sql.fragment`k.scopes, l.allowed_scopes, k.has_own_authority, ${clientTeams}`;
  const liveConnections = sql.fragment`
    oauth_connection k JOIN oauth_client l ON l.id = k.client_id AND l.disabled_at IS NULL`;
  const isLive = sql.fragment`k.organization_id = ${organization_id}
    AND k.revoked_at IS NULL AND k.activated_at IS NOT NULL`;
  return [
    sql.fragment`
      SELECT 2, 'key', k.id, k.name, k.account_id, p.email, p.is_member, k.follows_teams, ${keyTeams},
        p.seats, k.last_used_at, k.created_at, ${isRestricted},
        ${digest(sql.fragment`'key', ${ofPerson}, ${runsHere}, ${keyHome}`)},
        ${digest(sql.fragment`'key', ${ofPerson}, p.seats, ${runsHere}, ${keyHome}, k.follows_teams,
          ${keyTeams}, ${policies}`)}
      FROM person p JOIN api_key k ON k.account_id = p.account_id
      WHERE ${isLiveKey} AND (k.org_scope = ${organization_id} OR k.grants @> ${granted}) AND ${ofOne}`,
    sql.fragment`
      SELECT 3, 'organization_key', k.id, k.name, NULL::uuid, NULL, true, k.follows_teams, ${keyTeams},
        '[]'::jsonb, k.last_used_at, k.created_at, ${isRestricted}, ${digest(sql.fragment`'organization_key', ${keyHome}`)},
        ${digest(sql.fragment`'organization_key', ${keyHome}, k.follows_teams, ${keyTeams}, ${policies}`)}
      FROM api_key k
      WHERE k.organization_id = ${organization_id} AND ${isLiveKey} AND ${ofOne}`,
    sql.fragment`
      SELECT 4, 'connection', k.id, l.name, k.account_id, p.email, p.is_member, k.follows_teams,
        ${connectionTeams}, p.seats, k.last_used_at, k.created_at, ${isRestricted},
        ${digest(sql.fragment`'connection', ${ofPerson}, ${connectionHome}`)},
        ${digest(sql.fragment`'connection', ${ofPerson}, p.seats, ${connectionHome}, k.follows_teams,
          ${connectionTeams}`)}
      FROM ${liveConnections} JOIN person p ON p.account_id = k.account_id
      WHERE ${isLive} AND ${ofOne}`,
    sql.fragment`
      SELECT 5, 'client', k.id, l.name, NULL, NULL, true, k.follows_teams, ${connectionTeams},
        '[]'::jsonb, k.last_used_at, k.created_at, ${isRestricted},
        ${digest(sql.fragment`'client', ${connectionHome}`)},
        ${digest(sql.fragment`'client', ${connectionHome}, k.follows_teams, ${connectionTeams}`)}
      FROM ${liveConnections}
      WHERE k.kind = 'machine' AND ${isLive} AND (${ofOne} OR ${isOne(sql.fragment`l.id`)})`,
  ];
}

const TeamRow = z.object({ id: z.string(), name: z.string() });

/** Returns the teams of an organization by name. */
export const listTeamNames = (db: Queryable, organization_id: string) =>
  db.any(sql.type(TeamRow)`
    SELECT id, name FROM team
    WHERE organization_id = ${organization_id} AND deleted_at IS NULL ORDER BY name`);

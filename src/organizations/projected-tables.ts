import type { ProjectedTables } from '../authz/authz.ts';
import { sql } from '../platform/postgres/database.ts';

/** The membership `m` of a row `s`, stored or touched. */
const membership = sql.fragment`LATERAL (
  SELECT organization_id, account_id FROM membership WHERE id = s.membership_id
  UNION ALL
  SELECT organization_id, account_id FROM touched_membership WHERE id = s.membership_id) AS m`;

const membershipObject = sql.fragment`'membership:' || m.organization_id || '.' || m.account_id`;
const seatObject = sql.fragment`'team_seat:' || s.team_id || '.' || m.account_id`;

/** The projected tables of members, teams and roles. */
export const organizationTables: ProjectedTables = {
  columns: {
    membership: sql.fragment`id uuid, organization_id uuid, account_id uuid`,
    membership_role: sql.fragment`membership_id uuid`,
    organization_role: sql.fragment`id uuid`,
    team: sql.fragment`id uuid, organization_id uuid, deleted_at timestamptz`,
    team_role: sql.fragment`id uuid`,
    team_member: sql.fragment`team_id uuid, membership_id uuid`,
    team_member_role: sql.fragment`team_id uuid, membership_id uuid`,
  },
  slices: [
    {
      table: 'membership',
      select: sql.fragment`SELECT ${membershipObject}, NULL::text FROM touched_membership m`,
    },
    {
      table: 'membership_role',
      select: sql.fragment`
        SELECT ${membershipObject}, NULL::text FROM touched_membership_role s, ${membership}`,
    },
    {
      table: 'organization_role',
      select: sql.fragment`SELECT 'org_role:' || id, NULL::text FROM touched_organization_role`,
    },
    {
      table: 'team_role',
      select: sql.fragment`SELECT 'team_role:' || id, NULL::text FROM touched_team_role`,
    },
    {
      table: 'team_member',
      select: sql.fragment`
        SELECT ${seatObject}, NULL::text FROM touched_team_member s, ${membership}`,
    },
    {
      table: 'team_member',
      select: sql.fragment`
        SELECT ${membershipObject}, ${seatObject} FROM touched_team_member s, ${membership}`,
    },
    {
      table: 'team_member_role',
      select: sql.fragment`
        SELECT ${seatObject}, NULL::text FROM touched_team_member_role s, ${membership}`,
    },
  ],
};

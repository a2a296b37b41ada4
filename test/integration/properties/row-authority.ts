import { grantName } from '../../../src/authz/permissions.ts';
import { everyTeam, names, withImplied } from '../../support/access/permissions.ts';
import { ADMIN, MEMBER, OWNER } from '../../support/people/organizations.ts';
import { TEAM_ADMIN } from '../../support/people/teams.ts';
import type { World } from '../../support/worlds/world.ts';
import { CAPABILITIES } from '../../support/worlds/worlds.ts';

/** A role; system roles have no content in rows. */
interface Role {
  id: string;
  permissions: readonly string[] | null;
  capabilities: readonly string[] | null;
}

interface Seat {
  team: string;
  roles: readonly Role[];
}

interface Member {
  organization: string;
  account: string;
  roles: readonly Role[];
  seats: readonly Seat[];
}

/** A live key that works in an organization. */
interface Key {
  id: string;
  /** Null for a key of the organization. */
  account: string | null;
  organization: string;
  /** Ids of the teams that it is bound to; null if it follows teams. */
  teams: readonly string[] | null;
  capabilities: readonly string[];
  /** What its grant for the organization contains; null without one. */
  granted: readonly string[] | null;
}

/** Selects the roles of a membership or a seat; what replaces a deleted role counts in its place. */
const rolesOf = (assigned: string, role: string, condition: string) => `(
  SELECT coalesce(json_agg(json_build_object('id', coalesce(d.replaced_by, r.role_id),
    'permissions', c.permissions, 'capabilities', c.capabilities)), '[]')
  FROM ${assigned} r LEFT JOIN ${role} d ON d.id = r.role_id
  LEFT JOIN ${role} c ON c.id = coalesce(d.replaced_by, r.role_id) AND c.deleted_at IS NULL
  WHERE r.membership_id = m.id AND ${condition}) AS roles`;

const MEMBERS = `
  SELECT m.organization_id AS organization, m.account_id AS account,
    ${rolesOf('membership_role', 'organization_role', 'true')},
    (SELECT coalesce(json_agg(seat), '[]') FROM (
      SELECT s.team_id AS team,
        ${rolesOf('team_member_role', 'team_role', 'r.team_id = s.team_id')}
      FROM team_member s JOIN team t ON t.id = s.team_id AND t.deleted_at IS NULL
      WHERE s.membership_id = m.id) seat) AS seats
  FROM membership m WHERE m.organization_id = ANY ($1) AND m.left_at IS NULL`;

const KEYS = `
  SELECT k.id, k.account_id AS account, k.runs_in AS organization,
    CASE WHEN NOT k.follows_teams THEN ARRAY(
      SELECT b.team_id::text FROM api_key_team b
      JOIN team t ON t.id = b.team_id AND t.deleted_at IS NULL WHERE b.key_id = k.id) END AS teams,
    k.mcp_capabilities AS capabilities,
    (SELECT one -> 'permissions' FROM jsonb_array_elements(k.grants) one
     WHERE one #>> '{scope,org_id}' = k.runs_in::text) AS granted
  FROM api_key k WHERE k.runs_in = ANY ($1) AND k.revoked_at IS NULL`;

const TEAMS = `SELECT id, organization_id AS organization FROM team
  WHERE organization_id = ANY ($1) AND deleted_at IS NULL`;

/** What one person holds by the roles of a membership. */
function heldBy({ roles }: Pick<Member, 'roles'>) {
  const ids = roles.map(({ id }) => id);
  const hasAll = ids.includes(OWNER) || ids.includes(ADMIN);
  return {
    isOwner: ids.includes(OWNER),
    permissions: hasAll
      ? new Set(names.organization)
      : withImplied([
          ...(ids.includes(MEMBER) ? ['can_view_organization'] : []),
          ...roles.flatMap(({ permissions }) => permissions ?? []),
        ]),
    capabilities: hasAll ? CAPABILITIES : roles.flatMap(({ capabilities }) => capabilities ?? []),
  };
}

const heldIn = ({ roles }: Seat) =>
  roles.some(({ id }) => id === TEAM_ADMIN)
    ? new Set(names.team)
    : withImplied(roles.flatMap(({ permissions }) => permissions ?? []));

const SESSION_ONLY = ['can_delete', 'can_billing_update', 'can_ownership_transfer'];

/** Decides from the rows of some organizations, without the model, who may do what there. */
export async function readRowAuthority(
  { query }: Pick<World, 'query'>,
  organizations: readonly string[],
) {
  const members = await query<Member>(MEMBERS, [organizations]);
  const keys = await query<Key>(KEYS, [organizations]);
  const teams = await query<{ id: string; organization: string }>(TEAMS, [organizations]);
  const services = keys.filter(({ account }) => account === null);
  const organizationOf = (team: string) => teams.find(({ id }) => id === team)?.organization;
  const memberOf = (organization: string | undefined, account: string) =>
    members.find((one) => one.organization === organization && one.account === account);

  function isActive(key: Key, member: Member | null, team: string): boolean {
    const isBound = key.teams?.includes(team) === true;
    if (member === null) return key.teams === null || isBound;
    const isJoined = member.seats.some((seat) => seat.team === team);
    const isLive = isJoined || heldBy(member).permissions.has(everyTeam);
    return isLive && (isBound || (key.teams === null && isJoined));
  }

  /** What a member, or a key of theirs, may do in the organization. */
  function inMembership(key: Key | null, member: Member, relation: string): boolean {
    const { permissions, capabilities, isOwner } = heldBy(member);
    const name = grantName('organization', relation.slice('can_'.length));
    if (key === null) {
      if (SESSION_ONLY.includes(relation)) return isOwner;
      if (relation === 'can_manage_every_team') return permissions.has(everyTeam);
      if (['can_see', 'can_scope_own_keys'].includes(relation)) return true;
      return name !== null && permissions.has(name);
    }
    if (relation === 'can_see') return key.granted !== null;
    if (relation === 'can_connect') return true;
    const capability = /^can_use_(\w+)$/.exec(relation)?.[1];
    if (capability !== undefined) {
      const inTeams = member.seats
        .filter(({ team }) => isActive(key, member, team))
        .flatMap(({ roles }) => roles.flatMap((role) => role.capabilities ?? []));
      const isGranted = [...capabilities, ...inTeams].includes(capability);
      return key.capabilities.includes(capability) && isGranted;
    }
    const carried = withImplied(key.granted ?? []);
    return name !== null && permissions.has(name) && carried.has(name);
  }

  function inTeam(key: Key | null, member: Member | null, team: string, relation: string): boolean {
    const name = grantName('team', relation.slice('can_'.length));
    const seat = member?.seats.find((one) => one.team === team);
    const isLimited = member !== null && !heldBy(member).permissions.has(everyTeam);
    const isHeld = !isLimited || (seat !== undefined && heldIn(seat).has(name ?? ''));
    if (key === null) return seat !== undefined && name !== null && isHeld;
    if (!isActive(key, member, team)) return false;
    if (relation === 'active') return true;
    return name !== null && isHeld && withImplied(key.granted ?? []).has(name);
  }

  function inService(key: Key, relation: string): boolean {
    if (relation === 'can_see') return key.granted !== null;
    if (relation === 'can_connect') return true;
    const capability = /^can_use_(\w+)$/.exec(relation)?.[1];
    if (capability !== undefined) return key.capabilities.includes(capability);
    const name = grantName('organization', relation.slice('can_'.length));
    return name !== null && withImplied(key.granted ?? []).has(name);
  }

  return {
    /** Everyone and everything that may act in the organizations. */
    subjects: [
      ...new Set(members.map(({ account }) => `user:${account}`)),
      ...keys.map(({ id, account }) => `${account === null ? 'org_key' : 'api_key'}:${id}`),
    ],
    /** The objects on which they may be allowed something. */
    objects: [
      ...members.map(({ organization, account }) => `membership:${organization}.${account}`),
      ...services.map(({ organization, id }) => `service:${organization}.${id}`),
      ...teams.flatMap((team) =>
        [...members.map(({ account: id, ...one }) => ({ ...one, id })), ...services]
          .filter(({ organization }) => organization === team.organization)
          .map(({ id }) => `team_seat:${team.id}.${id}`),
      ),
    ],
    allows(subject: string, relation: string, object: string): boolean {
      const [kind, id] = subject.split(':') as [string, string];
      const [type, home, holder] = object.split(/[:.]/) as [string, string, string];
      const key = kind === 'user' ? null : keys.find((one) => one.id === id);
      const organization = type === 'team_seat' ? organizationOf(home) : home;
      if (key === undefined || (key !== null && key.organization !== organization)) return false;
      if (holder !== (key === null ? id : (key.account ?? key.id))) return false;
      if (key?.account === null)
        return type === 'service'
          ? inService(key, relation)
          : type === 'team_seat' && inTeam(key, null, home, relation);
      const member = memberOf(organization, holder);
      if (member === undefined) return false;
      if (type === 'membership') return inMembership(key, member, relation);
      return type === 'team_seat' && inTeam(key, member, home, relation);
    },
  };
}

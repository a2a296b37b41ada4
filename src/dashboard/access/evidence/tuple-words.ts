import { useQuery } from '@tanstack/react-query';
import {
  capabilities,
  organizationPermissions,
  teamPermissions,
} from '../../../authz/permissions.ts';
import { ADMIN_ROLE, MEMBER_ROLE, OWNER_ROLE } from '../../../caller/system-roles.ts';
import type { Evidence } from '../../../explorer/schema.ts';
import { pathOf, wholeQuery } from '../../organizations/organizations.ts';
import { roleName } from '../../organizations/roles/role-name.ts';
import { useTeamTitles } from '../../organizations/teams/use-team-titles.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { shortId } from '../../parts/short-id.ts';
import type { TextName, Translate } from '../../texts/texts.ts';
import { permissionText } from '../power-words.ts';

interface Named {
  id: string;
  name: string;
}

/** Tuples call the system's roles by names. */
const SYSTEM_ROLES: Readonly<Record<string, string>> = {
  owner: OWNER_ROLE,
  admin: ADMIN_ROLE,
  member: MEMBER_ROLE,
};

/** The names of roles and teams, as far as the person may see them. */
export interface TupleNames {
  roleOf(id: string): string;
  teamOf(id: string): string;
}

/** Returns the names that tuples mean by their ids. */
export function useTupleNames(t: Translate): TupleNames {
  const { id, may } = useOrganization();
  const teams = useTeamTitles();
  const roles = useQuery({
    ...wholeQuery<Named>(pathOf(id, '/roles')),
    enabled: may('can_view_organization_roles'),
  });
  const teamRoles = useQuery({
    ...wholeQuery<Named>(pathOf(id, '/team-roles')),
    enabled: may('can_view_organization_team_roles'),
  });
  const names = new Map(
    [...(roles.data ?? []), ...(teamRoles.data ?? [])].map((role) => [role.id, role.name]),
  );
  return {
    roleOf: (role) =>
      roleName({ name: names.get(SYSTEM_ROLES[role] ?? role) ?? readable(role) }, t),
    teamOf: (team) => teams.get(team) ?? shortId(team),
  };
}

/** System roles are called by their names, others by the end of their ids. */
const readable = (role: string): string => (role.includes('-') ? shortId(role) : role);

/** Texts of relations that are the same for every subject and object. */
const RELATIONS: Readonly<Record<string, TextName>> = {
  person: 'access.tuple.member',
  session: 'access.tuple.session',
  bearer: 'access.tuple.identity',
  principal: 'access.tuple.identity',
  granted: 'access.tuple.granted',
  runs_here: 'access.tuple.runs_here',
  follows_teams: 'access.tuple.follows_teams',
  any: 'access.tuple.everyone',
};

const grantOf = (table: readonly { relation: string; grant: string | null }[], relation: string) =>
  table.find((one) => one.relation === relation)?.grant ?? null;

/** Returns what a tuple means, in words; null if it is only a link between others. */
export function tupleWords(
  { subject, relation, object }: Pick<Evidence, 'subject' | 'relation' | 'object'>,
  { roleOf, teamOf }: TupleNames,
  t: Translate,
): string | null {
  const [subjectType, subjectId] = split(subject);
  const [type, id] = split(object);
  const home = id.split('.')[0]!;
  if (relation === 'role') {
    const name = roleOf(subjectId);
    return type === 'team_seat'
      ? t('access.tuple.team_role', { name, team: teamOf(home) })
      : t('access.tuple.role', { name });
  }
  if (relation === 'joined') return t('access.tuple.joined', { team: teamOf(home) });
  if (relation === 'bound') return t('access.tuple.bound', { team: teamOf(home) });
  const text = RELATIONS[relation];
  if (text !== undefined) return t(text);
  const declared = capabilities.find((one) => relation === `declared_${one}`);
  if (declared !== undefined)
    return t('access.tuple.declared', { kind: t(`capability.${declared}`) });
  const carried = /^(team_)?carried_(.+)$/.exec(relation);
  if (carried !== null) {
    const table = carried[1] === undefined ? organizationPermissions : teamPermissions;
    const grant = grantOf(table, carried[2]!);
    return grant === null
      ? null
      : t('access.tuple.carried', { permission: permissionText(grant, t) });
  }
  if (subjectType !== 'everyone') return null;
  const kind = capabilities.find((one) => relation === `mcp_${one}`);
  const table = type === 'team_role' ? teamPermissions : organizationPermissions;
  const grant = grantOf(table, relation);
  const given = kind === undefined ? grant && permissionText(grant, t) : t(`capability.${kind}`);
  return given === null ? null : t('access.tuple.gives', { name: roleOf(id), permission: given });
}

function split(text: string): [string, string] {
  const at = text.indexOf(':');
  return [text.slice(0, at), text.slice(at + 1)];
}

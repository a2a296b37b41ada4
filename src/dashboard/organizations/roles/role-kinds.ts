import { queryOptions } from '@tanstack/react-query';
import type { RoleRecord, TeamRoleRecord } from '../../../organizations/roles/schema.ts';
import { request } from '../../api/request.ts';
import { pathOf } from '../organizations.ts';
import { mayInTeam, teamPath } from '../teams/teams.ts';
import type { Team } from '../teams/teams.ts';
import { useOrganization } from '../use-organization.ts';
import type { Translate } from '../../texts/texts.ts';

/** A role; one in a team names the team to which it belongs, or null. */
export type Role = RoleRecord & Partial<Pick<TeamRoleRecord, 'team_id'>>;

/** What roles contain: permissions in the organization, or in a team. */
export type RoleKind = 'organization' | 'team';

/** Where roles are: of the organization, of all its teams, or of one team. */
export interface RolePlace {
  kind: RoleKind;
  /** Path of the list in the REST API. */
  api: string;
  /** Address of the page with the list, and prefix of the pages of roles. */
  list: string;
  pages: string;
  /** The noun of the permissions that the roles need. */
  noun: string;
  may(permission: string): boolean;
  /** The team whose roles these are. */
  team: Team | null;
  /** The service previews only changes of the organization's roles. */
  hasPreview: boolean;
}

export const neededFor = ({ noun }: RolePlace, verb: 'view' | 'create' | 'update' | 'delete') =>
  `can_${verb}_${noun}`;

/** Roles of the organization, or roles that members can have in all of its teams. */
export function useRolePlace(kind: RoleKind): RolePlace {
  const { id, may } = useOrganization();
  const route = kind === 'organization' ? 'roles' : 'team-roles';
  const pages = `/app/org/${id}/${route}`;
  return {
    ...{ kind, may, pages, list: pages },
    api: pathOf(id, `/${route}`),
    team: null,
    noun: kind === 'organization' ? 'organization_roles' : 'organization_team_roles',
    hasPreview: kind === 'organization',
  };
}

/** Roles of one team alone. */
export const teamRolePlace = (id: string, team: Team, held: ReadonlySet<string>): RolePlace => ({
  ...{ kind: 'team', team },
  api: teamPath(id, team.id, '/roles'),
  list: `/app/org/${id}/teams/${team.id}?tab=roles`,
  pages: `/app/org/${id}/teams/${team.id}/roles`,
  noun: 'team_roles',
  may: mayInTeam(held, team),
  hasPreview: false,
});

export const roleQuery = ({ api }: RolePlace, role_id: string) =>
  queryOptions({
    queryKey: ['role', api, role_id],
    queryFn: ({ signal }) => request<Role>(`${api}/${role_id}`, { signal }),
  });

/** Returns the page above those of the roles of a place. */
export const parentsOf = ({ kind, list, team }: RolePlace, t: Translate) =>
  team === null
    ? [{ to: list, label: t(kind === 'organization' ? 'space.roles' : 'space.team_roles') }]
    : [{ to: list.replace(/\?.*/, ''), label: team.title }];

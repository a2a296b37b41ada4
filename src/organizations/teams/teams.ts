import type { Authz } from '../../authz/authz.ts';
import { authorityOf } from '../../caller/actor.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { notConfirmed } from '../deletion/deletion.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { findMember } from '../members/store.ts';
import { pageOfList } from '../../platform/http/pages.ts';
import type { SearchQuery } from '../../platform/http/list-query.ts';
import type { Page } from '../../platform/http/pages.ts';
import { isUnchanged } from '../../platform/unchanged.ts';
import { createTeamCreation } from './create.ts';
import type { NewTeam } from './create.ts';
import { createTeamDeletion } from './deletion.ts';
import { createTeamsNaming } from './policies/naming.ts';
import { createTeamPolicies } from './policies/policies.ts';
import type { TeamPoliciesDependencies } from './policies/policies.ts';
import type { Grants } from '../grants/grants.ts';
import { createTeamRecords } from './record.ts';
import { teamNameTaken } from './refusals.ts';
import { createRoleAuthorGuard } from '../roles/author.ts';
import { createRoles } from '../roles/roles.ts';
import { teamLevel } from '../roles/team-level.ts';
import type { TeamDeletion, TeamDraft, TeamEdit, TeamParams, TeamRecord } from './schema.ts';
import { createSeats } from './seats/seats.ts';
import { isTeamNamed } from './store.ts';
import { applyEdit, createTeamUpdate } from './update.ts';
import type { TeamVisibility } from './visibility.ts';

export interface TeamsDependencies extends TeamPoliciesDependencies {
  authz: Pick<Authz, 'check' | 'checkEach' | 'change' | 'edit' | 'editContent'>;
  spaces: OrganizationsDependencies['spaces'];
  given: OrganizationsDependencies['given'];
  endOutgrownAccess: OrganizationsDependencies['endOutgrownAccess'];
  grants: Grants;
  visibility: TeamVisibility;
  /** Starts removing the remaining rows of deleted teams and roles in the background. */
  removeSoon(): void;
}

/** Creates the operations on the teams of organizations. */
export function createTeams(dependencies: TeamsDependencies) {
  const { database, authz, spaces, grants, visibility } = dependencies;
  const { pool } = database;

  async function requireFreeName(organization_id: string, name: string, except: string | null) {
    if (await isTeamNamed(pool, { organization_id, name, except })) throw teamNameTaken();
  }
  const recordsOf = createTeamRecords({ database });
  const get = async (caller: Principal, params: TeamParams) => {
    const team = await visibility.find(caller, params);
    const [record] = await recordsOf(caller, params.organization_id, [team]);
    return record!;
  };
  const create = createTeamCreation({ database, authz, spaces });
  const update = createTeamUpdate({ authz });
  const remove = createTeamDeletion(dependencies);
  const authors = createRoleAuthorGuard(dependencies);

  return {
    /** Lists all teams if the caller may view them, else the teams that the caller is in. */
    async list(
      caller: Principal,
      organization_id: string,
      query: SearchQuery,
    ): Promise<Page<TeamRecord>> {
      const teams = pageOfList(await visibility.list(caller, organization_id), query);
      return { ...teams, data: await recordsOf(caller, organization_id, teams.data) };
    },
    get,
    /** Throws 404 unless the caller is in the team, or may manage every team. */
    requireInside: visibility.requireInside,
    /**
     * Returns the ids of the teams that the caller is in, or of all if they may manage every team.
     */
    idsInside: visibility.idsInside,
    teamsInside: visibility.teamsInside,
    async create(
      caller: Principal,
      organization_id: string,
      draft: TeamDraft,
      request: RequestFacts,
    ) {
      const { id: team_id } = await request.once<NewTeam>(async (save) => {
        await requireFreeName(organization_id, draft.name, null);
        const fields = { ...draft, title: draft.title ?? draft.name };
        const creator = isSession(caller)
          ? await findMember(pool, { organization_id, account_id: caller.person })
          : null;
        const authority = authorityOf(caller, request);
        return { id: await create(authority, organization_id, fields, { creator, save }) };
      });
      return get(caller, { organization_id, team_id });
    },
    async update(caller: Principal, params: TeamParams, edit: TeamEdit, request: RequestFacts) {
      const stored = await get(caller, params);
      if (isUnchanged(applyEdit(stored, {}), applyEdit(stored, edit))) return stored;
      if (edit.name !== undefined)
        await requireFreeName(params.organization_id, edit.name, params.team_id);
      await update(authorityOf(caller, request), params, edit);
      return get(caller, params);
    },
    /** Deletes a team with all its data; takes effect with the next request. */
    async delete(
      caller: Principal,
      params: TeamParams,
      { confirm }: TeamDeletion,
      request: RequestFacts,
    ) {
      await remove(authorityOf(caller, request), params, ({ name }) => {
        if (confirm.trim() !== name) throw notConfirmed('team');
      });
    },
    seats: createSeats({ ...dependencies, grants }),
    roles: createRoles({ ...dependencies, level: teamLevel({ ...dependencies, authors }) }),
    policies: createTeamPolicies(dependencies),
    /**
     * Returns the teams whose policies name an item, of those whose policies the caller may view.
     */
    naming: createTeamsNaming(dependencies),
  };
}
export type Teams = ReturnType<typeof createTeams>;

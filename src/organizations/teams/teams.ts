import type { Authz } from '../../authz/authz.ts';
import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { pageIn } from '../../platform/http/pages.ts';
import type { Page, PageQuery } from '../../platform/http/pages.ts';
import { nameOf } from '../roles/kind.ts';
import { createTeamCreation } from './create.ts';
import { createTeamDeletion } from './deletion.ts';
import { createTeamPolicies } from './policies/policies.ts';
import type { TeamPolicies, TeamPoliciesDependencies } from './policies/policies.ts';
import { createTeamEscalationGuard } from './escalation.ts';
import { teamNameTaken } from './refusals.ts';
import { createTeamRoles } from './roles/roles.ts';
import type { TeamRoles } from './roles/roles.ts';
import { teamRoles } from './roles/system.ts';
import type { TeamDeletion, TeamDraft, TeamEdit, TeamParams, TeamRecord } from './schema.ts';
import { createSeats } from './seats/seats.ts';
import type { Seats } from './seats/seats.ts';
import { isTeamNamed, lockTeam, updateTeam } from './store.ts';
import type { TeamFields, TeamRow } from './store.ts';
import { createTeamVisibility } from './visibility.ts';

/** The teams of organizations. */
export interface Teams {
  /** Lists all teams to those who may view them, and to others the teams they are in. */
  list(caller: Principal, organization_id: string, page: PageQuery): Promise<Page<TeamRecord>>;
  get(caller: Principal, params: TeamParams): Promise<TeamRecord>;
  /** Throws 404 unless the caller is in the team, or may manage every team. */
  requireInside(caller: Principal, params: TeamParams): Promise<void>;
  create(
    caller: Principal,
    organization_id: string,
    draft: TeamDraft,
    request: RequestFacts,
  ): Promise<TeamRecord>;
  update(
    caller: Principal,
    params: TeamParams,
    edit: TeamEdit,
    request: RequestFacts,
  ): Promise<TeamRecord>;
  /** Deletes a team and all that is below it, from the next request on. */
  delete(
    caller: Principal,
    params: TeamParams,
    body: TeamDeletion,
    request: RequestFacts,
  ): Promise<void>;
  seats: Seats;
  roles: TeamRoles;
  policies: TeamPolicies;
}

export interface TeamsDependencies extends TeamPoliciesDependencies {
  authz: Pick<Authz, 'check' | 'checkEach' | 'change' | 'editContent'>;
  /** Removes the rest of deleted teams, soon and in the background. */
  removeSoon(): void;
}

export function createTeams(dependencies: TeamsDependencies): Teams {
  const { database, authz } = dependencies;
  const { pool } = database;
  const guard = createTeamEscalationGuard({ authz });
  const visibility = createTeamVisibility({ database, authz, guard });

  async function requireFreeName(organization_id: string, name: string, except: string | null) {
    if (await isTeamNamed(pool, { organization_id, name, except })) throw teamNameTaken();
  }
  const get: Teams['get'] = async (caller, params) =>
    recordOf(await visibility.find(caller, params));
  const create = createTeamCreation({ database, authz });

  return {
    list: async (caller, organization_id, page) =>
      pageIn((await visibility.list(caller, organization_id)).map(recordOf), page),
    get,
    requireInside: visibility.requireInside,
    async create(caller, organization_id, draft, request) {
      await requireFreeName(organization_id, draft.name, null);
      const fields = { ...draft, title: draft.title ?? draft.name };
      const team_id = await create(caller, organization_id, fields, request);
      return get(caller, { organization_id, team_id });
    },
    async update(caller, params, edit, request) {
      const { organization_id, team_id: id } = params;
      if (edit.name !== undefined) await requireFreeName(organization_id, edit.name, id);
      await authz.editContent({
        ...authorityOf(caller, request),
        reason: 'team.update',
        writes: [{ kind: 'organization', id: organization_id }],
        targets: [{ type: 'team', id }],
        async work(transaction) {
          const before = await lockTeam(transaction, { id, organization_id });
          if (before === null) throw absent('deleted meanwhile');
          const after = applyEdit(before, edit);
          if (!(await updateTeam(transaction, { id, organization_id }, after)))
            throw teamNameTaken();
          return { before, after };
        },
        detail: (change) => change,
      });
      return get(caller, params);
    },
    delete: createTeamDeletion(dependencies),
    seats: createSeats({ database, authz, guard }),
    roles: createTeamRoles({ database, authz, guard }),
    policies: createTeamPolicies(dependencies),
  };
}

const applyEdit = (before: TeamFields, edit: TeamEdit): TeamFields => ({
  name: edit.name ?? before.name,
  title: edit.title ?? before.title,
  description: edit.description ?? before.description,
});

/** Returns a team with what the asker's roles give there. */
function recordOf({ roles: held, ...fields }: TeamRow): TeamRecord {
  if (held === null) return { ...fields, membership: null };
  const roles = held.map(teamRoles.named);
  const { permissions, capabilities } = teamRoles.contentOf(roles);
  return {
    ...fields,
    membership: {
      roles: roles.map(nameOf),
      permissions: [...permissions],
      capabilities: [...capabilities],
    },
  };
}

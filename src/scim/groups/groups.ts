import { ConcurrentUpdate, createRetry } from '../../authz/authz.ts';
import type { Authz } from '../../authz/authz.ts';
import type { DirectoryChanges } from '../../organizations/organizations.ts';
import { absent, conflict, isRefusal } from '../../platform/errors/refusal.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import type { TeamName } from '../../policies/item-name.ts';
import { stepsOf } from '../operations.ts';
import { authorityOf, bodyOf, patchOf, readListQuery, readSelection } from '../request.ts';
import type { ScimRequest, ScimResponse, ScimRoute } from '../request.ts';
import { isSelected, listResponse, select } from '../response.ts';
import { groupDraftOf, groupEditOf } from './edit.ts';
import type { GroupDraft, GroupEdit } from './edit.ts';
import { createMemberChanges } from './members.ts';
import { groupResource } from './resource.ts';
import { countGroups, findGroup, insertGroup, listGroups, updateGroup } from './store.ts';
import type { GroupKey, GroupRow } from './store.ts';
import { teamNamesFor } from './team-name.ts';

export interface GroupsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
  members: DirectoryChanges;
}

// Each may have all members of the organization.
const MAX_RESULTS_WITH_MEMBERS = 10;
const MEMBERS_MS = 20_000;

/** The endpoints of groups, each of which is a team. */
export function createGroupRoutes(dependencies: GroupsDependencies): ScimRoute[] {
  const { database, authz, members: directory } = dependencies;
  const { pool } = database;
  const members = createMemberChanges(dependencies);
  const retry = createRetry();

  const keyOf = ({ directory: { organization }, id }: ScimRequest): GroupKey => ({
    organization_id: organization.id,
    team_id: id ?? '',
  });

  async function find(request: ScimRequest, withMembers: boolean): Promise<GroupRow> {
    const key = keyOf(request);
    const group = isUuid(key.team_id) ? await findGroup(pool, key, withMembers) : null;
    if (group === null) throw absent('no such group');
    return group;
  }

  async function show(request: ScimRequest): Promise<ScimResponse> {
    const selection = readSelection(request.query);
    const group = await find(request, isSelected('members', selection));
    return { status: 200, body: select(groupResource(group, request.base), selection) };
  }

  /** Returns the best name for the team of a group that no other team has. */
  async function freeNameFor(
    organization_id: string,
    display_name: string,
    except: string | null,
  ): Promise<TeamName> {
    for (const name of teamNamesFor(display_name))
      if (!(await directory.isTeamNamed(pool, { organization_id, name, except }))) return name;
    throw nameTaken();
  }

  async function create(request: ScimRequest, draft: GroupDraft): Promise<string> {
    const { id: organization_id } = request.directory.organization;
    const { display_name, external_id = null, members: steps } = draft;
    await members.require({ organization_id, team_id: NO_TEAM }, steps);
    const name = await freeNameFor(organization_id, display_name, null);
    const team_id = await decidedAgain(() =>
      directory.createTeam(
        authorityOf(request),
        organization_id,
        { name, title: display_name, description: '' },
        async (transaction, { id }) => {
          const key = { organization_id, team_id: id };
          if (!(await insertGroup(transaction, key, { display_name, external_id })))
            throw nameTaken();
        },
      ),
    );
    // The group exists by now: only this step is decided again, not the creation.
    const addMembers = async () =>
      members.change(await request.refreshed(), { organization_id, team_id }, steps);
    await retry({
      ...{ attempt: addMembers, retry: addMembers },
      owner: { kind: 'organization', id: organization_id },
      until: performance.now() + MEMBERS_MS,
    });
    return team_id;
  }

  async function change(request: ScimRequest, edit: GroupEdit): Promise<ScimResponse> {
    const group = await find(request, false);
    const key = keyOf(request);
    const { display_name = group.display_name, external_id = group.external_id } = edit;
    await members.require(key, edit.members);
    const save = async (transaction: Transaction) => {
      if (!(await updateGroup(transaction, key, { display_name, external_id }))) throw nameTaken();
    };
    if (display_name !== group.display_name) {
      const name = await freeNameFor(key.organization_id, display_name, key.team_id);
      const fields = { name, title: display_name };
      await decidedAgain(() => directory.updateTeam(authorityOf(request), key, fields, save));
    } else if (external_id !== group.external_id)
      await authz.edit({
        ...authorityOf(request),
        reason: 'scim_group.update',
        writes: [{ kind: 'organization', id: key.organization_id }],
        targets: [{ type: 'team', id: key.team_id }],
        work: save,
      });
    await members.change(request, key, edit.members);
    return show(request);
  }

  return [
    {
      method: 'GET',
      path: '/Groups',
      async handle({ directory: { organization }, base, query: sent }) {
        const query = readListQuery(sent);
        const withMembers = isSelected('members', query.selection);
        const limit = withMembers ? Math.min(query.limit, MAX_RESULTS_WITH_MEMBERS) : query.limit;
        const total = await countGroups(pool, organization.id, query.filter);
        const page = { ...query, limit, withMembers, offset: query.start - 1 };
        const rows = await listGroups(pool, organization.id, page);
        const resources = rows.map((row) => select(groupResource(row, base), query.selection));
        return listResponse(resources, total, query);
      },
    },
    {
      method: 'POST',
      path: '/Groups',
      async handle(request) {
        const id = await create(request, groupDraftOf(bodyOf(request)));
        const shown = await show({ ...request, id });
        return { ...shown, status: 201, location: `${request.base}/Groups/${id}` };
      },
    },
    { method: 'GET', path: '/Groups/{id}', handle: show },
    {
      method: 'PUT',
      path: '/Groups/{id}',
      handle: (request) => change(request, groupDraftOf(bodyOf(request))),
    },
    {
      method: 'PATCH',
      path: '/Groups/{id}',
      handle: (request) => change(request, groupEditOf(stepsOf(patchOf(request)))),
    },
    {
      method: 'DELETE',
      path: '/Groups/{id}',
      async handle(request) {
        await find(request, false);
        await directory.deleteTeam(authorityOf(request), keyOf(request));
        return { status: 204 };
      },
    },
  ];
}

/** The id of no team, for checking members before a team is created. */
const NO_TEAM = '00000000-0000-0000-0000-000000000000';

const nameTaken = () =>
  conflict('already_provisioned', 'There is a group with this displayName. Update that one.');

/** Runs a change of a team; if another team got the name meanwhile, the name is chosen again. */
async function decidedAgain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error) && error.code === 'name_taken') throw new ConcurrentUpdate();
    throw error;
  }
}

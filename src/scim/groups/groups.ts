import { absent } from '../../platform/errors/refusal.ts';
import { isUuid } from '../../platform/ids.ts';
import { stepsOf } from '../operations.ts';
import { authorityOf, bodyOf, patchOf, readListQuery, readSelection } from '../request.ts';
import type { ScimRequest, ScimResponse, ScimRoute } from '../request.ts';
import { isSelected, listResponse, select } from '../response.ts';
import { createGroupChange } from './change.ts';
import { createGroupCreation } from './create.ts';
import type { GroupsDependencies } from './dependencies.ts';
import { groupDraftOf, groupEditOf } from './edit.ts';
import type { GroupEdit } from './edit.ts';
import { groupResource } from './resource.ts';
import { countGroups, findGroup, listGroups } from './store.ts';
import type { GroupKey, GroupRow } from './store.ts';

// Each may have all members of the organization.
const MAX_RESULTS_WITH_MEMBERS = 10;

/** The endpoints of groups, each of which is a team. */
export function createGroupRoutes(dependencies: GroupsDependencies): ScimRoute[] {
  const { database, members: directory } = dependencies;
  const { pool } = database;
  const create = createGroupCreation(dependencies);
  const change = createGroupChange(dependencies);

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

  async function update(request: ScimRequest, edit: GroupEdit): Promise<ScimResponse> {
    const group = await find(request, false);
    await change(request, { key: keyOf(request), group }, edit);
    return show(request);
  }

  async function list(request: ScimRequest): Promise<ScimResponse> {
    const { id } = request.directory.organization;
    const query = readListQuery(request.query);
    const withMembers = isSelected('members', query.selection);
    const limit = withMembers ? Math.min(query.limit, MAX_RESULTS_WITH_MEMBERS) : query.limit;
    const total = await countGroups(pool, id, query.filter);
    const page = { ...query, limit, withMembers, offset: query.start - 1 };
    const resources = (await listGroups(pool, id, page)).map((row) =>
      select(groupResource(row, request.base), query.selection),
    );
    return listResponse(resources, total, query);
  }

  return [
    { method: 'GET', path: '/Groups', handle: list },
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
      handle: (request) => update(request, groupDraftOf(bodyOf(request))),
    },
    {
      method: 'PATCH',
      path: '/Groups/{id}',
      handle: (request) => update(request, groupEditOf(stepsOf(patchOf(request)))),
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

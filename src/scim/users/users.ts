import { absent } from '../../platform/errors/refusal.ts';
import { stepsOf } from '../operations.ts';
import { bodyOf, patchOf, readListQuery, readSelection } from '../request.ts';
import type { ScimRequest, ScimResponse, ScimRoute } from '../request.ts';
import { listResponse, select } from '../response.ts';
import { createUserChanges } from './change.ts';
import { createUserCreation } from './create.ts';
import type { UserChangesDependencies } from './dependencies.ts';
import { draftOf, editOf } from './edit.ts';
import type { UserEdit } from './edit.ts';
import { userResource } from './resource.ts';
import { countUsers, findUser, listUsers } from './store.ts';
import type { UserRow } from './store.ts';

/** The endpoints of users, who are members of the organization while they are active. */
export function createUserRoutes(dependencies: UserChangesDependencies): ScimRoute[] {
  const { pool } = dependencies.database;
  const create = createUserCreation(dependencies);
  const { change, remove } = createUserChanges(dependencies);

  async function find({ directory, id }: ScimRequest): Promise<UserRow> {
    const key = { organization_id: directory.organization.id, account_id: id! };
    const user = id === null ? null : await findUser(pool, key);
    if (user === null) throw absent('no such user');
    return user;
  }

  const show = (request: ScimRequest, user: UserRow): ScimResponse => ({
    status: 200,
    body: select(userResource(user, request.base), readSelection(request.query)),
  });

  async function update(request: ScimRequest, edit: UserEdit): Promise<ScimResponse> {
    await change(request, await find(request), edit);
    return show(request, await find(request));
  }

  return [
    {
      method: 'GET',
      path: '/Users',
      async handle({ directory, base, query: sent }) {
        const { id } = directory.organization;
        const query = readListQuery(sent);
        const total = await countUsers(pool, id, query.filter);
        const rows = await listUsers(pool, id, { ...query, offset: query.start - 1 });
        const resources = rows.map((row) => select(userResource(row, base), query.selection));
        return listResponse(resources, total, query);
      },
    },
    {
      method: 'POST',
      path: '/Users',
      async handle(request) {
        const id = await create(request, draftOf(bodyOf(request)));
        const user = await find({ ...request, id });
        return { ...show(request, user), status: 201, location: `${request.base}/Users/${id}` };
      },
    },
    {
      method: 'GET',
      path: '/Users/{id}',
      handle: async (request) => show(request, await find(request)),
    },
    {
      method: 'PUT',
      path: '/Users/{id}',
      handle: (request) => update(request, draftOf(bodyOf(request))),
    },
    {
      method: 'PATCH',
      path: '/Users/{id}',
      handle: (request) => update(request, editOf(stepsOf(patchOf(request)))),
    },
    {
      method: 'DELETE',
      path: '/Users/{id}',
      async handle(request) {
        await remove(request, await find(request));
        return { status: 204 };
      },
    },
  ];
}

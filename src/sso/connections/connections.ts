import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, conflict } from '../../platform/errors/refusal.ts';
import { editOf, requireOrganization } from '../change.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { isEnforced } from '../enforcement/store.ts';
import { requirePlan } from '../refusals.ts';
import { createConnectionCreation } from './create.ts';
import type { NewConnection } from './create.ts';
import { createConnectionGuard } from './guard.ts';
import { auditedOf, issuerOf, recordOf } from './record.ts';
import type {
  ConnectionDraft,
  ConnectionEdit,
  ConnectionParams,
  ConnectionRecord,
  LinkParams,
} from './schema.ts';
import {
  countConnections,
  deleteConnection,
  findConnection,
  listConnections,
  ssoSecrets,
} from './store.ts';
import type { ConnectionKey } from './store.ts';
import { createUnlink } from './unlink.ts';
import { createConnectionUpdate } from './update.ts';

export type ConnectionsDependencies = Pick<
  SsoDependencies,
  'database' | 'authz' | 'secrets' | 'config' | 'organizations' | 'accounts'
>;

/** The connections of an organization to its identity providers. */
export function createConnections(dependencies: ConnectionsDependencies) {
  const { database, authz, secrets, config, accounts } = dependencies;
  const { pool } = database;

  async function get({ organization_id, connection_id: id }: ConnectionParams) {
    const row = await findConnection(pool, { id, organization_id });
    if (row === null) throw absent('the organization has no such connection');
    return row;
  }
  const read = async (params: ConnectionParams): Promise<ConnectionRecord> =>
    recordOf(await get(params), config.PUBLIC_URL);

  const seal = (key: ConnectionKey, secret: string) =>
    secrets.encrypt(ssoSecrets.label, ssoSecrets.ownerOf(key), secret);
  const guard = createConnectionGuard(dependencies);
  const create = createConnectionCreation({ ...dependencies, guard, seal });
  const update = createConnectionUpdate({ ...dependencies, guard, seal });
  const unlink = createUnlink({ ...dependencies, guard });

  async function remove(caller: SessionPrincipal, params: ConnectionParams, request: RequestFacts) {
    const stored = await get(params);
    requirePlan(caller);
    await guard.requireMayChange(stored, await guard.isAdmin(caller));
    const { id, organization_id } = stored;
    await authz.edit({
      ...editOf(caller, organization_id, request),
      reason: 'sso_connection.delete',
      targets: [{ type: 'sso_connection', id }],
      async work(transaction) {
        await requireOrganization(transaction, organization_id);
        if (!(await deleteConnection(transaction, stored))) throw absent('deleted concurrently');
        const isLast = (await countConnections(transaction, organization_id)) === 0;
        if (isLast && (await isEnforced(transaction, organization_id))) throw lastConnection();
        await accounts.identities.forget(transaction, issuerOf(id));
      },
      detail: () => ({ before: auditedOf(stored) }),
    });
  }

  return {
    get,
    read,
    async list(organization_id: string) {
      const rows = await listConnections(pool, organization_id);
      return { data: rows.map((row) => recordOf(row, config.PUBLIC_URL)), next_cursor: null };
    },
    create: async (
      caller: SessionPrincipal,
      organization_id: string,
      draft: ConnectionDraft,
      request: RequestFacts,
    ): Promise<ConnectionRecord> => {
      const { id } = await request.once<NewConnection>((save) =>
        create(caller, organization_id, draft, request, save),
      );
      return read({ organization_id, connection_id: id });
    },
    async update(
      caller: SessionPrincipal,
      params: ConnectionParams,
      edit: ConnectionEdit,
      request: RequestFacts,
    ): Promise<ConnectionRecord> {
      await update(caller, await get(params), edit, request);
      return read(params);
    },
    remove,
    async unlink(caller: SessionPrincipal, params: LinkParams, request: RequestFacts) {
      await unlink(caller, await get(params), params.account_id, request);
    },
  };
}
export type Connections = ReturnType<typeof createConnections>;

const lastConnection = () =>
  conflict(
    'last_connection',
    'Members must sign in through this connection. Stop enforcing single sign-on first.',
  );

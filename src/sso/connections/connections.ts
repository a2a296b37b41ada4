import { isDeepStrictEqual } from 'node:util';
import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { MEMBER_ROLE } from '../../organizations/organizations.ts';
import {
  absent,
  conflict,
  forbidden,
  throwIfProblems,
  unprocessable,
} from '../../platform/errors/refusal.ts';
import { newId } from '../../platform/ids.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { editOf, requireOrganization } from '../change.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { findOwner, isEnforced } from '../enforcement/store.ts';
import { requirePlan } from '../refusals.ts';
import { dropFlows } from '../sign-in/store.ts';
import { dropTests } from '../testing/store.ts';
import { editIdentification, identificationOf, providerOf } from './configuration.ts';
import { recordOf } from './record.ts';
import type {
  ConnectionDraft,
  ConnectionEdit,
  ConnectionParams,
  ConnectionRecord,
} from './schema.ts';
import {
  countConnections,
  deleteConnection,
  findConnection,
  listConnections,
  saveConnection,
  ssoSecrets,
} from './store.ts';
import type { ConnectionRow, Seat, WrittenConnection } from './store.ts';

const MAX_CONNECTIONS = 10;
const MAX_PROBLEMS = 20;

export type ConnectionsDependencies = Pick<
  SsoDependencies,
  'database' | 'authz' | 'secrets' | 'config' | 'organizations' | 'accounts'
>;

/** The issuer of identities that were asserted through a connection. */
export const issuerOf = (connection_id: string): string => `sso:${connection_id}`;

/** The connections of an organization to its identity providers. */
export function createConnections(dependencies: ConnectionsDependencies) {
  const { database, authz, secrets, config, organizations, accounts } = dependencies;
  const { pool } = database;

  async function get({ organization_id, connection_id: id }: ConnectionParams) {
    const row = await findConnection(pool, { id, organization_id });
    if (row === null) throw absent('the organization has no such connection');
    return row;
  }
  const read = async (params: ConnectionParams): Promise<ConnectionRecord> =>
    recordOf(await get(params), config.PUBLIC_URL);

  const seal = (key: { id: string; organization_id: string }, secret: string) =>
    secrets.encrypt(ssoSecrets.label, ssoSecrets.ownerOf(key), secret);

  /** Throws 422 unless the caller may give the roles and seats that are not given already. */
  async function requireGivable(
    caller: Principal,
    given: Pick<WrittenConnection, 'organization_id' | 'role_ids' | 'seats'>,
    already: Pick<WrittenConnection, 'role_ids' | 'seats'>,
  ): Promise<void> {
    const gift = {
      role_ids: given.role_ids,
      held: already.role_ids,
      seats: given.seats.filter((seat) => !already.seats.some((one) => includesSeat(one, seat))),
    };
    const problems = await organizations.gifts.problems(caller, given.organization_id, gift);
    throwIfProblems(problems, MAX_PROBLEMS);
  }

  /**
   * Whoever decides how people are identified can sign in as any of them, so what an Admin has set
   * up, or people sign in through, only someone with everything that an Admin has may change.
   */
  async function requireMayIdentify(row: ConnectionRow, isAdmin: boolean): Promise<void> {
    if (isAdmin) return;
    if (row.may_link || (await accounts.identities.existAt(issuerOf(row.id))))
      throw forbidden(
        'permission_denied',
        'People sign in through this connection, so changing how it identifies them requires a session with every permission of an Admin.',
      );
  }

  async function create(
    caller: Principal,
    organization_id: string,
    draft: ConnectionDraft,
    request: RequestFacts,
  ): Promise<ConnectionRecord> {
    requirePlan(caller);
    const id = newId();
    const written: WrittenConnection = {
      ...{ id, organization_id, name: draft.name, ...identificationOf(draft) },
      secret:
        draft.protocol === 'oidc' ? seal({ id, organization_id }, draft.oidc.client_secret) : null,
      role_ids: [...new Set(draft.role_ids ?? [MEMBER_ROLE])],
      seats: draft.teams.map(withoutRepeats),
      configured_by: caller.person,
      may_link: await organizations.gifts.isAdmin(caller),
    };
    await requireGivable(caller, written, { role_ids: [], seats: [] });
    await authz.edit({
      ...editOf(caller, organization_id, request),
      reason: 'sso_connection.create',
      targets: [{ type: 'sso_connection', id }],
      async work(transaction) {
        await requireOrganization(transaction, organization_id);
        if ((await countConnections(transaction, organization_id)) >= MAX_CONNECTIONS)
          throw tooManyConnections();
        await saveConnection(transaction, written);
      },
      detail: () => ({ after: auditedOf(written) }),
    });
    return read({ organization_id, connection_id: id });
  }

  async function update(
    caller: Principal,
    params: ConnectionParams,
    edit: ConnectionEdit,
    request: RequestFacts,
  ): Promise<ConnectionRecord> {
    const stored = await get(params);
    requirePlan(caller);
    const identification = editIdentification(stored, edit);
    const { configuration, attributes } = stored;
    const identifies = !isDeepStrictEqual(identification, { configuration, attributes });
    const isAdmin = identifies && (await organizations.gifts.isAdmin(caller));
    if (identifies) await requireMayIdentify(stored, isAdmin);
    const written: WrittenConnection = {
      ...{ ...stored, ...identification, name: edit.name ?? stored.name },
      ...(edit.oidc?.client_secret && { secret: seal(stored, edit.oidc.client_secret) }),
      role_ids: edit.role_ids ? [...new Set(edit.role_ids)] : stored.role_ids,
      seats: edit.teams?.map(withoutRepeats) ?? stored.seats,
      ...(identifies && { configured_by: caller.person, may_link: isAdmin }),
    };
    await requireGivable(caller, written, identifies ? { role_ids: [], seats: [] } : stored);
    const { id, organization_id } = stored;
    await authz.edit({
      ...editOf(caller, organization_id, request),
      reason: 'sso_connection.update',
      targets: [{ type: 'sso_connection', id }],
      async work(transaction) {
        await requireOrganization(transaction, organization_id);
        const current = await findConnection(transaction, stored);
        if (!isDeepStrictEqual(current, stored)) throw new ConcurrentUpdate();
        await saveConnection(transaction, written);
        if (identifies) await forgetIdentified(transaction, stored, written);
      },
      detail: () => ({
        fields: Object.keys(edit),
        before: auditedOf(stored),
        after: auditedOf(written),
      }),
    });
    return read(params);
  }

  /**
   * Ends what rested on the former settings: tests; the links of people at another provider; and
   * the Owner's, unless the Owner made the change, since nobody else decides who the Owner is.
   */
  async function forgetIdentified(
    transaction: Transaction,
    before: ConnectionRow,
    after: WrittenConnection,
  ): Promise<void> {
    await dropTests(transaction, before.id);
    await dropFlows(transaction, before.id);
    const isOther = providerOf(before.configuration) !== providerOf(after.configuration);
    if (isOther) return accounts.identities.forget(transaction, issuerOf(before.id), null);
    const owner = await findOwner(transaction, before.organization_id);
    if (owner !== null && owner !== after.configured_by)
      await accounts.identities.forget(transaction, issuerOf(before.id), owner);
  }

  async function remove(
    caller: Principal,
    params: ConnectionParams,
    request: RequestFacts,
  ): Promise<void> {
    const stored = await get(params);
    requirePlan(caller);
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
        await accounts.identities.forget(transaction, issuerOf(id), null);
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
    create,
    update,
    remove,
  };
}
export type Connections = ReturnType<typeof createConnections>;

const withoutRepeats = ({ team_id, role_ids }: Seat): Seat => ({
  team_id,
  role_ids: [...new Set(role_ids)],
});

/** Returns whether a seat gives at least what another one does. */
const includesSeat = (seat: Seat, other: Seat): boolean =>
  seat.team_id === other.team_id && other.role_ids.every((id) => seat.role_ids.includes(id));

/** Returns a connection's details for the audit log. */
const auditedOf = ({ name, configuration, role_ids, seats }: WrittenConnection) => ({
  ...{ name, protocol: configuration.protocol, provider: providerOf(configuration) },
  ...{ role_ids, teams: seats },
});

const tooManyConnections = () =>
  unprocessable(
    'limit_reached',
    `An organization can have at most ${MAX_CONNECTIONS} connections.`,
  );

const lastConnection = () =>
  conflict(
    'last_connection',
    'Members must sign in through this connection. Stop enforcing single sign-on first.',
  );

import { authorityOf } from '../../../caller/actor.ts';
import type { Principal, SessionPrincipal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { isSession } from '../../../caller/principal.ts';
import { loosenedBy } from '../../../caller/restrictions/restrictions.ts';
import {
  absent,
  forbidden,
  throwIfProblems,
  unprocessable,
} from '../../../platform/errors/refusal.ts';
import { createAuthorityRules } from '../../clients/authority.ts';
import type { ListQuery } from '../../../platform/http/list-query.ts';
import { toRowsPage } from '../../../platform/postgres/sorted-rows.ts';
import type { Page } from '../../../platform/http/pages.ts';
import { isUnchanged } from '../../../platform/unchanged.ts';
import type { createFieldChange } from '../fields.ts';
import type { ConnectionsDependencies } from '../dependencies.ts';
import type { createRevocation } from '../revocation.ts';
import type { ConnectionEdit, ConnectionRecord, DefaultAgent } from '../schema.ts';
import type { ConnectionFields } from '../store.ts';
import { capabilitiesOf, createConnectionRecords, currentScopes } from './records.ts';
import { findConnection, listConnections, listMachinesOf } from './store.ts';
import type { ConnectionOwner, ListedRow } from './store.ts';

/** A connection, and the person or organization that manages it. */
export interface ConnectionId {
  id: string;
  owner: ConnectionOwner;
}

type Inspection = ConnectionsDependencies['inspect'];

/** Operations on connections, for the person who authorized them and for their organization. */
export interface ManagedConnections {
  list(
    caller: Principal,
    owner: ConnectionOwner,
    query: ListQuery,
  ): Promise<Page<ConnectionRecord>>;
  /** Throws 404 unless the owner has this connection. */
  require(connection: ConnectionId): Promise<ListedRow>;
  /** Throws 404 unless the owner has this connection and it acts for the organization itself. */
  requireMachine(connection: ConnectionId): Promise<ListedRow>;
  /** Returns what is shown of the default agents of clients' machine connections, by client. */
  agentsOfClients(
    caller: Principal,
    client_ids: readonly string[],
  ): Promise<ReadonlyMap<string, DefaultAgent>>;
  update(
    caller: Principal,
    connection: ConnectionId,
    edit: ConnectionEdit,
    request: RequestFacts,
  ): Promise<ConnectionRecord>;
  /** Revokes a connection; its next request is refused. */
  revoke(caller: Principal, connection: ConnectionId, request: RequestFacts): Promise<void>;
  /** Explains why a connection may or may not use an item. */
  explain(
    caller: SessionPrincipal,
    connection: ConnectionId,
    target: Parameters<Inspection['explain']>[2],
  ): ReturnType<Inspection['explain']>;
  /** Returns what a connection sees now. */
  preview(
    caller: SessionPrincipal,
    connection: ConnectionId,
    page: Parameters<Inspection['preview']>[2],
  ): ReturnType<Inspection['preview']>;
}

export function createConnectionManagement(
  dependencies: ConnectionsDependencies & {
    changeFields: ReturnType<typeof createFieldChange>;
    revokeAll: ReturnType<typeof createRevocation>['revoke'];
  },
): ManagedConnections {
  const { database, changeFields, revokeAll, inspect } = dependencies;
  const requireGrantable = createWideningRule(dependencies);
  const { findAgent, agentsOf, recordsOf } = createConnectionRecords(dependencies);

  async function require(connection: ConnectionId): Promise<ListedRow> {
    const row = await findConnection(database.pool, connection);
    if (row === null) throw absent();
    return row;
  }

  async function inspected({ id, owner }: ConnectionId) {
    const row = await require({ id, owner });
    const declared = capabilitiesOf(currentScopes(row));
    // What a person has authorized cannot be changed; a machine may do what its client may.
    const page = row.kind === 'machine' ? `clients/${row.client_id}` : null;
    return { id, owner, runs_in: row.organization_id, page, declared };
  }

  return {
    async list(caller, owner, query) {
      const rows = await listConnections(database.pool, owner, query);
      const { data, next_cursor } = toRowsPage(rows, query);
      return { data: await recordsOf(caller, data), next_cursor };
    },
    require,
    async requireMachine(connection) {
      const row = await require(connection);
      if (row.kind !== 'machine') throw absent('only its person may change the connection');
      return row;
    },
    async agentsOfClients(caller, client_ids) {
      const agents = await agentsOf(caller, await listMachinesOf(database.pool, client_ids));
      return new Map([...agents].map(([{ client_id }, agent]) => [client_id, agent]));
    },
    async update(caller, connection, sent, request) {
      const stored = await require(connection);
      const edit = changedFields(stored, sent);
      const { default_agent_id } = edit;
      if (default_agent_id != null && (await findAgent(caller, stored, default_agent_id)) === null)
        throw agentUnavailable();
      const authority = authorityOf(caller, request);
      const basis = await requireGrantable(caller, stored, edit);
      if (Object.keys(edit).length > 0)
        await changeFields(stored, edit, { ...authority, basis: basis ?? authority.basis });
      const [record] = await recordsOf(caller, [await require(connection)]);
      return record!;
    },
    async revoke(caller, connection, request) {
      await require(connection);
      const authority = authorityOf(caller, request);
      // Ownership alone decides about one's own connection, so it can be revoked in an outage.
      const basis = connection.owner.kind === 'account' ? null : authority.basis;
      await revokeAll([connection.id], { ...authority, basis });
    },
    async explain(caller, connection, target) {
      return inspect.explain(caller, await inspected(connection), target);
    },
    async preview(caller, connection, page) {
      return inspect.preview(caller, await inspected(connection), page);
    },
  };
}

/**
 * Creates the function that throws if an edit lets a connection that acts for no person work
 * elsewhere, or at other times, unless the caller holds what it may do. It returns what that was decided
 * on; null if nothing was.
 */
function createWideningRule({ organizations }: Pick<ConnectionsDependencies, 'organizations'>) {
  const checkAuthority = createAuthorityRules(organizations);
  return async function requireGrantable(
    caller: Principal,
    stored: ListedRow,
    edit: Partial<ConnectionFields>,
  ) {
    const { kind, organization_id, scopes, follows, team_ids } = stored;
    const [field] = loosenedBy(edit, stored);
    if (kind !== 'machine' || field === undefined) return null;
    if (!isSession(caller)) throw interactiveOnly();
    const pointer = `/${field}`;
    const { problems, basis } = await checkAuthority(caller, {
      ...{ organization_id: organization_id!, added_teams: [] },
      own: {
        scopes: scopes.map((name) => ({ name, pointer })),
        ...{ team_ids: follows ? null : team_ids, teams_pointer: pointer },
      },
    });
    throwIfProblems(problems);
    return basis;
  };
}

/** Returns the fields that were sent and differ from the stored ones. */
const changedFields = (stored: ListedRow, sent: ConnectionEdit): Partial<ConnectionFields> =>
  Object.fromEntries(
    EDITABLE.filter(
      (name) => sent[name] !== undefined && !isUnchanged(stored[name], sent[name]),
    ).map((name) => [name, sent[name]]),
  );

const EDITABLE = ['default_agent_id', 'tool_listing', 'allowed_addresses', 'hours'] as const;

const interactiveOnly = () =>
  forbidden(
    'interactive_only',
    'A credential may not let a client work elsewhere, or at other times. This requires a signed-in session: sign in with `POST /api/auth/login`.',
  );

const agentUnavailable = () =>
  unprocessable('agent_unavailable', 'The connection must be able to access the agent.', {
    detail: { pointer: '/default_agent_id' },
  });

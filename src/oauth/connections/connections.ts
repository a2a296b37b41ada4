import type { Authority } from '../../caller/actor.ts';
import { createUseRecorder } from '../../credentials/credentials.ts';
import { createBackground } from '../../platform/concurrency/background.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { createDelegatedConnections } from './delegated.ts';
import type { Alongside, NewDelegated } from './delegated.ts';
import type { ConnectionsDependencies } from './dependencies.ts';
import { createFieldChange } from './fields.ts';
import { machineChangeOf } from './machines/machines.ts';
import type { MachineChange, MachineClient } from './machines/machines.ts';
import { createConnectionManagement } from './management/management.ts';
import type { ManagedConnections } from './management/management.ts';
import { createMemberConnections } from './management/of-members.ts';
import type { MemberConnections } from './management/of-members.ts';
import { exportConnections } from './management/store.ts';
import { createNarrowing } from './narrowing/narrowing.ts';
import { createRevocation } from './revocation.ts';
import type { RevocationReason } from './revocation.ts';
import {
  activateConnection,
  findLiveConnection,
  findMachine,
  sweepConnections,
  touchConnections,
} from './store.ts';
import type { ConnectionFields, ConnectionRow, LiveConnection } from './store.ts';

export type { ConnectionsDependencies, LiveConnection, MachineChange, MachineClient, NewDelegated };
export { deleteMachines } from './store.ts';
export type { ConnectionId, ManagedConnections } from './management/management.ts';

/** OAuth connections: each is one authorization of a client, and `cid` in its access tokens. */
export interface Connections {
  /**
   * Creates the connection that a person authorized, and returns its id. The caller has checked the
   * scopes, the teams and the agent as of `authority.basis`. Throws 404 if the client was disabled
   * or deleted, or the person left the organization, in the meantime. `alongside` runs in the same
   * transaction.
   */
  createDelegated(
    connection: NewDelegated,
    authority: Authority,
    alongside?: Alongside,
  ): Promise<string>;
  /** Returns the part of a client's change that concerns its machine connection. */
  machineChange(
    db: Queryable,
    before: MachineClient | null,
    after: MachineClient | null,
  ): Promise<MachineChange>;
  /** Returns the live machine connection of a client; null if it has none. */
  machineOf(client_id: string): Promise<ConnectionRow | null>;
  /** Returns a connection that may get tokens now; null for any other. */
  findLive(id: string): Promise<LiveConnection | null>;
  /**
   * Records that a token is issued, and locks the connection until the transaction ends; without a
   * token, a connection ends after ten minutes. Returns false if it was revoked.
   */
  activate(id: string, transaction?: Queryable): Promise<boolean>;
  /** Queues an update of `last_used_at`. */
  recordUse(id: string): void;
  /** Changes fields of a connection; the caller has checked that it can reach its default agent. */
  changeFields(
    connection: ConnectionRow,
    edit: Partial<ConnectionFields>,
    authority: Authority,
  ): Promise<void>;
  /** Revokes connections, whose next request is refused; revoked ones are skipped. */
  revoke(ids: readonly string[], authority: Authority, reason?: RevocationReason): Promise<void>;
  /**
   * Revokes the connections of a client that is disabled, or those with authority of their own if
   * it lost `client_credentials`. Call it after the commit; connections of disabled clients that
   * remain are revoked in the background.
   */
  revokeOfClient(client_id: string, which?: { only_own_authority?: boolean }): Promise<void>;
  /** Takes from a connection the teams that its client has lost; call it before the next decision. */
  narrow(id: string): Promise<void>;
  /** Does the same to all connections of a client; the rest are narrowed at their next request. */
  narrowOfClient(client_id: string): Promise<void>;
  /** Connections as their persons and organizations see and change them. */
  managed: ManagedConnections;
  /** Those that members authorized, as their organization sees and revokes them. */
  ofMembers: MemberConnections;
  /** Yields what a person authorized, for the account's export. */
  exportOf(db: Queryable, account_id: string, limit: number): AsyncIterable<object>;
  /** Revokes what no longer works, or was never used; runs once a minute. */
  revokeUnusable(): Promise<void>;
  start(): void;
  /** Resolves when queued updates are written, and background work has ended. */
  stop(): Promise<void>;
}

export function createConnections(dependencies: ConnectionsDependencies): Connections {
  const { database, log } = dependencies;
  const { pool } = database;
  const uses = createUseRecorder({ write: (ids) => touchConnections(pool, ids), log });
  const changeFields = createFieldChange(dependencies);
  const revocation = createRevocation(dependencies);
  const cleanup = createBackground(
    async () => {
      await revocation.revokeUnusable();
      await sweepConnections(pool);
    },
    (error) => log.warn({ err: error }, 'unused OAuth connections could not be removed'),
  );
  const managed = createConnectionManagement({
    ...{ ...dependencies, changeFields, revokeAll: revocation.revoke },
  });
  return {
    createDelegated: createDelegatedConnections(dependencies),
    machineChange: machineChangeOf,
    machineOf: (client_id) => findMachine(pool, client_id),
    findLive: (id) => findLiveConnection(pool, id),
    activate: (id, transaction = pool) => activateConnection(transaction, id),
    recordUse: uses.record,
    changeFields,
    ...revocation,
    ...createNarrowing(dependencies),
    managed,
    ofMembers: createMemberConnections(pool, managed),
    exportOf: exportConnections,
    start: cleanup.start,
    async stop() {
      await Promise.all([uses.settled(), cleanup.stop()]);
    },
  };
}

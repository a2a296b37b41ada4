import { ConcurrentUpdate } from '../../../authz/authz.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import type { CredentialChange } from '../../../organizations/organizations.ts';
import { newId } from '../../../platform/ids.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { changeOf } from '../change.ts';
import {
  findConnection,
  findMachine,
  findMachineRestrictions,
  insertConnection,
  revokeConnection,
  updateMachineRow,
} from '../store.ts';
import type { ConnectionRow, NewConnection } from '../store.ts';

type Restrictions = Pick<NewConnection, 'allowed_addresses' | 'hours'>;

/** The fields of a client that determine its machine connection. */
export interface MachineClient {
  id: string;
  organization_id: string | null;
  grant_types: readonly string[];
  /** With the read permissions that they imply. */
  allowed_scopes: readonly string[];
  /** The teams to which it is bound; null if it follows all teams of the organization. */
  team_ids: readonly string[] | null;
  disabled_at: string | null;
}

/** The part of a client's change that makes its machine connection match the client. */
export interface MachineChange extends Pick<CredentialChange, 'creates' | 'objects' | 'targets'> {
  /** Empty if it changes nothing. */
  writes: readonly ScopeRef[];
  /** Runs in the transaction, after the client was written and its organization locked. */
  apply(transaction: Transaction): Promise<void>;
}

const NOTHING: MachineChange = {
  ...{ writes: [], creates: [], objects: [], targets: [] },
  apply: async () => {},
};

/**
 * Returns the part of a change of a client that creates, updates or revokes its machine connection;
 * `before` is null for a new client, `after` for a deleted one. A connection that was revoked by
 * itself is not brought back by an edit, only by enabling the client.
 */
export async function machineChangeOf(
  db: Queryable,
  before: MachineClient | null,
  after: MachineClient | null,
): Promise<MachineChange> {
  const client_id = (after ?? before)?.id;
  if (client_id === undefined) return NOTHING;
  const stored = await findMachine(db, client_id);
  const target = after !== null && actsAlone(after) ? after : null;
  if (stored !== null && target === null) return revocationOf(db, stored);
  if (target === null || (stored === null && before !== null && actsAlone(before)))
    return { ...NOTHING, apply: (transaction) => requireSame(transaction, client_id, stored) };
  const restrictions = stored ?? (await findMachineRestrictions(db, target.id));
  return savingOf(db, stored, rowOf(target, { stored, restrictions }));
}

const actsAlone = ({ organization_id, grant_types, disabled_at }: MachineClient): boolean =>
  organization_id !== null && grant_types.includes('client_credentials') && disabled_at === null;

const rowOf = (
  client: MachineClient,
  {
    stored,
    restrictions: { allowed_addresses, hours },
  }: { stored: ConnectionRow | null; restrictions: Restrictions },
): NewConnection => ({
  ...{ id: stored?.id ?? newId(), kind: 'machine', client_id: client.id, account_id: null },
  organization_id: client.organization_id,
  scopes: [...new Set(client.allowed_scopes)],
  follows_teams: client.team_ids === null,
  team_ids: [...new Set(client.team_ids)],
  has_own_authority: true,
  default_agent_id: stored?.default_agent_id ?? null,
  tool_listing: stored?.tool_listing ?? 'all',
  // A client that is disabled and enabled again must not work elsewhere than before.
  ...{ allowed_addresses, hours },
  session_id: null,
});

/** Throws if the client's machine connection is no longer the one that was read. */
async function requireSame(
  transaction: Transaction,
  client_id: string,
  stored: ConnectionRow | null,
): Promise<void> {
  const current = await findMachine(transaction, client_id);
  if (current?.id !== stored?.id) throw new ConcurrentUpdate();
}

async function revocationOf(db: Queryable, stored: ConnectionRow): Promise<MachineChange> {
  const { requireCovered, ...change } = await changeOf(db, stored);
  return {
    ...{ ...change, creates: [] },
    async apply(transaction) {
      await requireCovered(transaction);
      // Found by its own id: a deleted client has no connections any more.
      if (!(await revokeConnection(transaction, stored.id))) throw new ConcurrentUpdate();
    },
  };
}

async function savingOf(
  db: Queryable,
  stored: ConnectionRow | null,
  row: NewConnection,
): Promise<MachineChange> {
  const { requireCovered, ...change } = await changeOf(db, stored ?? row, row);
  return {
    ...change,
    creates: stored === null ? change.creates : [],
    async apply(transaction) {
      await requireSame(transaction, row.client_id, stored);
      if (stored === null) await insertConnection(transaction, row);
      else await updateMachineRow(transaction, row);
      const saved = await findConnection(transaction, row.id);
      if (saved?.team_ids.length !== row.team_ids.length) throw new ConcurrentUpdate();
      await requireCovered(transaction);
    },
  };
}

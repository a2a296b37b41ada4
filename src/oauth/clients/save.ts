import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Action } from '../../caller/actions.ts';
import { lockOrganization } from '../../organizations/organizations.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { ClientsDependencies } from './dependencies.ts';
import { lockClient } from './store.ts';
import type { ClientId, OAuthClient } from './store.ts';

/** A change of a client's rows. */
export interface ClientSave<T> {
  client: ClientId;
  action: Action;
  authority: Authority;
  /** The client as it is stored, null for a new one, and as it will be, null if it is deleted. */
  before: MachineFields | null;
  after: MachineFields | null;
  work(transaction: Transaction): Promise<T>;
  /** Returns the details for the audit log. */
  detail(value: T): Readonly<Record<string, unknown>>;
}

/** The fields that determine the machine connection. */
type MachineFields = Pick<
  OAuthClient,
  'id' | 'organization_id' | 'grant_types' | 'allowed_scopes' | 'team_ids' | 'disabled_at'
>;

/** Creates a function that changes a client together with its machine connection. */
export function createSave({
  database,
  authz,
  connections,
}: Pick<ClientsDependencies, 'database' | 'authz' | 'connections'>) {
  return async function save<T>(edit: ClientSave<T>): Promise<T> {
    const { client, action: reason, authority, before, after, detail } = edit;
    const { id, owner } = client;
    const machine = await connections.machineChange(database.pool, before, after);
    const [first, ...rest] = machine.writes;
    const target = { type: 'oauth_client', id };
    async function work(transaction: Transaction): Promise<T> {
      // Against its deletion, and so that clients are counted one at a time.
      if (owner.kind === 'organization' && (await lockOrganization(transaction, owner.id)) === null)
        throw absent('the organization was deleted concurrently');
      const value = await edit.work(transaction);
      await machine.apply(transaction);
      return value;
    }
    const change = { ...authority, reason, work, detail };
    if (first === undefined) return authz.edit({ ...change, writes: [owner], targets: [target] });
    return authz.change({
      ...{ ...change, writes: [first, ...rest], creates: machine.creates },
      ...{ objects: machine.objects, targets: [target, ...machine.targets] },
    });
  };
}

/**
 * Locks a client that a decision was based on. Throws 404 if it was deleted, and `ConcurrentUpdate`
 * if it was changed in the meantime.
 */
export async function lockUnchanged(
  transaction: Transaction,
  client: ClientId,
  stored: OAuthClient,
): Promise<void> {
  const current = await lockClient(transaction, client);
  if (current === null) throw absent('the client was deleted concurrently');
  // Both were parsed by one schema, so their fields are in the same order.
  if (JSON.stringify(current) !== JSON.stringify(stored)) throw new ConcurrentUpdate();
}

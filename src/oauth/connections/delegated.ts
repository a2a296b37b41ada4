import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { newId } from '../../platform/ids.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { audited } from './audited.ts';
import { changeOf } from './change.ts';
import type { ChangeDependencies } from './dependencies.ts';
import { findConnection, insertConnection, isLiveMember, lockEnabledClient } from './store.ts';

/** What a person authorized a client to do. */
export interface NewDelegated {
  client: {
    id: string;
    /** The organization whose client it is; null: the client works in the person's account. */
    organization_id: string | null;
    has_own_authority: boolean;
  };
  account_id: string;
  /** With the read permissions that they imply. */
  scopes: readonly string[];
  /** The teams to which it is bound; null if it follows the person's teams. */
  team_ids: readonly string[] | null;
  default_agent_id: string | null;
  /** The session with which it ends; null if it outlives the session. */
  session_id: string | null;
}

/** Work in the transaction that creates a connection. */
export type Alongside = (transaction: Transaction, id: string) => Promise<void>;

/**
 * Creates the function that creates the connection of a person's authorization. Connections of a
 * client with `client_credentials` have the authority that was capped at registration (SC4).
 */
export function createDelegatedConnections({ database, authz }: ChangeDependencies) {
  return async function createDelegated(
    { client, account_id, scopes, team_ids, default_agent_id, session_id }: NewDelegated,
    authority: Authority,
    alongside?: Alongside,
  ): Promise<string> {
    const { organization_id } = client;
    const isInOrganization = organization_id !== null;
    const row = {
      ...{ id: newId(), kind: 'delegated' as const, client_id: client.id, account_id },
      ...{ organization_id, scopes: [...new Set(scopes)], default_agent_id, session_id },
      follows_teams: isInOrganization && team_ids === null,
      has_own_authority: isInOrganization && client.has_own_authority,
      team_ids: isInOrganization ? [...new Set(team_ids)] : [],
      // Its person may change these afterwards.
      ...{ tool_listing: 'all' as const, allowed_addresses: null, hours: null },
    };
    const change = await changeOf(database.pool, row);
    await authz.change({
      ...{ ...change, ...authority, reason: 'connection.create' },
      // The account is written last: without its `principal` tuple, a connection has no authority.
      writes: change.writesAtCreation,
      async work(transaction) {
        if (!(await lockEnabledClient(transaction, client.id)))
          throw absent('the client was disabled or deleted concurrently');
        if (isInOrganization && !(await isLiveMember(transaction, { organization_id, account_id })))
          throw absent('the person left the organization, or it was deleted, concurrently');
        await insertConnection(transaction, row);
        await alongside?.(transaction, row.id);
        const inserted = await findConnection(transaction, row.id);
        if (inserted?.team_ids.length !== row.team_ids.length) throw new ConcurrentUpdate();
        return inserted;
      },
      detail: (created) => ({ after: audited(created) }),
    });
    return row.id;
  };
}

import type { Principal } from '../../caller/principal.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { ClientsDependencies } from './dependencies.ts';
import type { ClientRecord } from './schema.ts';
import { listSecrets } from './secrets/store.ts';
import { countConnections, findClient, listTeams } from './store.ts';
import type { ClientId, OAuthClient } from './store.ts';

/** Creates the functions that show clients, without the text of their secrets. */
export function createClientRecords({
  database: { pool },
  connections: { managed },
}: Pick<ClientsDependencies, 'database' | 'connections'>) {
  async function recordsOf(
    caller: Principal,
    clients: readonly OAuthClient[],
  ): Promise<ClientRecord[]> {
    const ids = clients.map(({ id }) => id);
    if (ids.length === 0) return [];
    const teams = Map.groupBy(await listTeams(pool, ids), ({ client_id }) => client_id);
    const secrets = Map.groupBy(await listSecrets(pool, ids), ({ client_id }) => client_id);
    const counted = await countConnections(pool, ids);
    const connections = new Map(counted.map(({ client_id, count }) => [client_id, count]));
    const agents = await managed.agentsOfClients(caller, ids);
    return clients.map(({ id, ...client }) => ({
      ...{ id, name: client.name, type: client.type, grant_types: client.grant_types },
      ...{ redirect_uris: client.redirect_uris, allowed_scopes: client.allowed_scopes },
      ...{ require_pkce: client.require_pkce, follows_memberships: client.follows_teams },
      teams: (teams.get(id) ?? []).map(({ team_id, name }) => ({ id: team_id, name })),
      default_agent: agents.get(id) ?? null,
      secrets: (secrets.get(id) ?? []).map(({ client_id: _client, ...secret }) => secret),
      connections: connections.get(id) ?? 0,
      disabled: client.disabled_at !== null,
      ...{ created_by: client.created_by, created_at: client.created_at },
    }));
  }

  async function recordOf(caller: Principal, client: OAuthClient): Promise<ClientRecord> {
    const [record] = await recordsOf(caller, [client]);
    return record!;
  }

  return {
    recordsOf,
    recordOf,
    /** Returns the record of a client that was just saved. */
    async showSaved(caller: Principal, client: ClientId): Promise<ClientRecord> {
      const saved = await findClient(pool, client);
      if (saved === null) throw absent('the client was deleted concurrently');
      return recordOf(caller, saved);
    },
  };
}

import type { Connection } from '../../platform/postgres/database.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { ClientRecord } from './schema.ts';
import { listSecrets } from './secrets/store.ts';
import { countConnections, findClient, listTeams } from './store.ts';
import type { ClientId, OAuthClient } from './store.ts';

/** Returns the records of clients, without the text of their secrets. */
export async function recordsOf(
  connection: Connection,
  clients: readonly OAuthClient[],
): Promise<ClientRecord[]> {
  const ids = clients.map(({ id }) => id);
  if (ids.length === 0) return [];
  const teams = Map.groupBy(await listTeams(connection, ids), ({ client_id }) => client_id);
  const secrets = Map.groupBy(await listSecrets(connection, ids), ({ client_id }) => client_id);
  const counted = await countConnections(connection, ids);
  const connections = new Map(counted.map(({ client_id, count }) => [client_id, count]));
  return clients.map(({ id, ...client }) => ({
    ...{ id, name: client.name, type: client.type, grant_types: client.grant_types },
    ...{ redirect_uris: client.redirect_uris, allowed_scopes: client.allowed_scopes },
    follows_memberships: client.follows_teams,
    teams: (teams.get(id) ?? []).map(({ team_id, name }) => ({ id: team_id, name })),
    secrets: (secrets.get(id) ?? []).map(({ client_id: _client, ...secret }) => secret),
    connections: connections.get(id) ?? 0,
    disabled: client.disabled_at !== null,
    ...{ created_by: client.created_by, created_at: client.created_at },
  }));
}

/** Returns the record of a client that was just saved. */
export async function showSaved(connection: Connection, client: ClientId): Promise<ClientRecord> {
  const saved = await findClient(connection, client);
  if (saved === null) throw absent('the client was deleted concurrently');
  const [record] = await recordsOf(connection, [saved]);
  return record!;
}

import type { OAuthClient } from '../clients/clients.ts';
import type { LiveConnection, ServerDependencies } from './dependencies.ts';
import { currentExchange } from './exchange.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns a client that may be used; null for an unknown or disabled one and for one of a
 * deactivated account. That of a suspended organization exists: the consent page says why it cannot
 * be allowed, and its tokens are refused where they are used.
 */
export async function findClient(
  { clients }: Pick<ServerDependencies, 'clients'>,
  id: string,
): Promise<OAuthClient | null> {
  if (!UUID.test(id)) return null;
  const client = await clients.find(id);
  const isUsable =
    client !== null &&
    client.disabled_at === null &&
    (client.owner.is_active || client.owner.kind === 'organization');
  currentExchange().client = isUsable ? client : null;
  return currentExchange().client;
}

/** Returns a connection that may get tokens, reading it once per request. */
export function findConnection(
  { connections }: Pick<ServerDependencies, 'connections'>,
  id: string,
): Promise<LiveConnection | null> {
  const known = currentExchange().connections;
  const found = known.get(id) ?? (UUID.test(id) ? connections.findLive(id) : Promise.resolve(null));
  known.set(id, found);
  return found;
}

/** Returns the client of the request; it has been found before anything else is asked. */
export function requireClient(): OAuthClient {
  const { client } = currentExchange();
  if (client === null) throw new TypeError('The client of the request is not known yet.');
  return client;
}

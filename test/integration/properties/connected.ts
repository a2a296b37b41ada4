import { systemAuthority } from '../../../src/caller/actor.ts';
import type { ConnectionsSupport } from '../../support/people/connections.ts';
import type { SignedUp } from '../../support/people/people.ts';

/** What a connection in an organization is to be able to do, like a key with the same fields. */
interface ConnectionFields {
  organization_id: string;
  /** Who authorizes it; null for the client’s own connection. */
  person: SignedUp | null;
  capabilities: readonly string[];
  /** The teams that it is bound to; null if it follows teams. */
  team_ids: readonly string[] | null;
  default_agent_id: string | null;
}

/** Creates a connection, and returns it like a key: its secret is an access token. */
export async function createConnection(
  oauth: ConnectionsSupport,
  { organization_id, person, capabilities, team_ids, default_agent_id }: ConnectionFields,
): Promise<{ id: string; secret: string; client_id: string }> {
  const client = await oauth.client({
    ...{ owner: { organization_id }, team_ids },
    scopes: capabilities.map((one) => `mcp_${one}`),
    grant_types: person === null ? ['client_credentials'] : ['authorization_code'],
  });
  if (person !== null) {
    const id = await oauth.authorize(client, person, { default_agent_id });
    return { id, secret: await oauth.token(id), client_id: client.id };
  }
  const id = await oauth.machine(client);
  const machine = await oauth.connections.machineOf(client.id);
  await oauth.connections.changeFields(machine!, { default_agent_id }, systemAuthority);
  return { id, secret: await oauth.token(id), client_id: client.id };
}

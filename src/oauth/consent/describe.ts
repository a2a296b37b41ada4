import { capabilityByScope, permissionByScope } from '../../authz/permissions.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Offer } from './offer.ts';
import type { ConsentRequest } from './schema.ts';

/** Returns an offer for a page that is not the gateway's own, such as the dashboard's. */
export async function describeRequest(
  caller: SessionPrincipal,
  offer: Offer,
): Promise<ConsentRequest> {
  const { client, interaction, teams, follows_teams, refused } = offer;
  const { kind, id, name } = client.owner;
  const team_ids = follows_teams ? null : teams.map((team) => team.id);
  const agents = await offer.agentsWith(offer.scopes, team_ids);
  return {
    client: { id: client.id, name: client.name, owner: { kind, name } },
    redirect_host: hostOf(interaction.redirect_uri),
    account: { email: caller.email },
    organization: kind === 'organization' ? { id, name: name! } : null,
    ...{ refused, follows_teams, teams: [...teams] },
    scopes: offer.scopes.map(describeScope),
    agents: agents.map((agent) => ({ id: agent.id, name: agent.name })),
  };
}

/** Returns the host that receives the answer, or the scheme of an application. */
export function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return host === '' || !/^https?:$/.test(protocol) ? protocol : host;
}

function describeScope(name: string): ConsentRequest['scopes'][number] {
  const capability = capabilityByScope(name);
  if (capability !== null)
    return { name, description: `Use ${capability} over MCP`, group: 'mcp', family: capability };
  const permission = permissionByScope(name)!;
  const [verb = '', noun = ''] = name.split(':');
  const description = `${verb[0]!.toUpperCase()}${verb.slice(1)} ${noun.replaceAll('_', ' ')}`;
  return { name, description, group: 'management', family: noun || permission.family };
}

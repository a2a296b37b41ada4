import { capabilityByScope, permissionByScope } from '../../authz/permissions.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import { scopeDescription } from '../../authz/authz.ts';
import { partsOf } from './broad-scopes.ts';
import { lookalikeOf } from './known-names.ts';
import type { Offer } from './offer.ts';
import { hostOf } from './redirect-target.ts';
import type { ConsentRequest } from './schema.ts';

/** Returns an offer for a page that is not the gateway's own, such as the dashboard's. */
export async function describeRequest(
  caller: SessionPrincipal,
  offer: Offer,
): Promise<ConsentRequest> {
  const { client, interaction, organization, teams, follows_teams, refused } = offer;
  const { kind, name, email } = client.owner;
  const team_ids = follows_teams ? null : teams.map((team) => team.id);
  const available = offer.scopes.filter((scope) => !offer.unavailable.has(scope));
  const agents = await offer.agentsWith(available, team_ids);
  return {
    client: { id: client.id, name: client.name, owner: { kind, name, email } },
    registered_at: client.created_at,
    looks_like: lookalikeOf(client.name, interaction.redirect_uri),
    redirect_host: hostOf(interaction.redirect_uri),
    account: { email: caller.email },
    ...{ organization, refused, follows_teams, teams: [...teams] },
    scopes: offer.scopes.map((scope) => ({
      ...describeScope(scope),
      available: !offer.unavailable.has(scope),
      includes: [...partsOf(scope, offer.scopes)],
    })),
    agents: agents.map((agent) => ({ id: agent.id, name: agent.name })),
  };
}

function describeScope(
  name: string,
): Omit<ConsentRequest['scopes'][number], 'available' | 'includes'> {
  const description = scopeDescription(name);
  const capability = capabilityByScope(name);
  if (capability !== null) return { name, description, group: 'mcp', family: capability };
  const [, noun = ''] = name.split(':');
  return {
    name,
    description,
    group: 'management',
    family: noun || permissionByScope(name)!.family,
  };
}

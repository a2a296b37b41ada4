import { accountRoutes } from './accounts/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import type { Route } from './caller/route.ts';
import { connectRoutes } from './connect/routes.ts';
import { explorerRoutes } from './explorer/routes.ts';
import { unusedRoutes } from './explorer/unused/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { snippetRoutes } from './keys/snippets/routes.ts';
import { createGrantWarnings } from './keys/unusable-grants.ts';
import { clientRoutes } from './oauth/clients/routes.ts';
import { connectionRoutes } from './oauth/connections/routes.ts';
import { consentRoutes } from './oauth/consent/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { previewRoutes } from './previews/routes.ts';
import { scimTokenRoutes } from './scim/tokens/routes.ts';
import { ssoRoutes } from './sso/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import type { Config } from './platform/config/config.ts';
import type { Parts } from './parts.ts';

/** Collects the REST routes of every module. */
export function routesOf(config: Config, parts: Parts): Route[] {
  const { accounts, audit, keys, content } = parts;
  const endpoint = `${config.PUBLIC_URL}/mcp`;
  const routes: Route[] = [
    ...accountRoutes(accounts),
    ...auditRoutes(audit),
    ...keyRoutes(
      keys,
      createGrantWarnings(() => routes),
    ),
    ...snippetRoutes(endpoint),
    ...connectRoutes(parts.connectEvents),
    ...clientRoutes(parts.oauth.clients, endpoint),
    ...connectionRoutes(parts.oauth.connections.managed),
    ...content.routes,
    ...usageRoutes(parts.usage, parts.organizations.teams.requireInside),
    ...organizationRoutes(parts.organizations),
    ...consentRoutes(parts.oauth.consent),
    ...ssoRoutes(parts.sso),
    ...scimTokenRoutes(parts.scim.tokens),
    ...previewRoutes(parts),
    ...explorerRoutes(parts.explorer),
    ...unusedRoutes(parts.unused),
  ];
  return routes;
}

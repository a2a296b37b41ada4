import type { Queryable } from '../platform/postgres/database.ts';
import { createConnections } from './connections/connections.ts';
import { moveGivenRole, moveGivenTeamRole } from './connections/store.ts';
import type { SsoDependencies } from './dependencies.ts';
import { createDomains } from './domains/domains.ts';
import { createEnforcement, createEndSessions } from './enforcement/enforcement.ts';
import { createProtocols } from './protocols.ts';
import { serviceProviderMetadata } from './saml/service-provider.ts';
import { createDiscovery } from './sign-in/discovery.ts';
import { createEndOutgrownAccess, createGrownRoles } from './sign-in/outgrown.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { sweepFlows } from './sign-in/store.ts';
import { sweepTestLinks } from './testing/store.ts';
import { createTesting } from './testing/testing.ts';

export { isVerifiedDomain } from './domains/store.ts';
export { requiresSso } from './enforcement/store.ts';
export { allowsSsoSession } from './sign-in/account-access.ts';

/** Creates the single sign-on of organizations at their own identity providers. */
export function createSso(dependencies: SsoDependencies) {
  const protocols = createProtocols(dependencies);
  const connections = createConnections(dependencies);
  const endSessions = createEndSessions(dependencies);
  const domains = createDomains({ ...dependencies, onVerified: endSessions });
  return {
    enforcement: createEnforcement({ ...dependencies, connections, domains }),
    connections,
    domains,
    test: createTesting({ ...dependencies, connections }),
    discover: createDiscovery(dependencies),
    signIn: createSignIn({ ...dependencies, protocols }),
    endOutgrownAccess: createEndOutgrownAccess(dependencies),
    grownRoles: createGrownRoles(dependencies),
    /** Returns the metadata of our side of a SAML connection; throws 404 for any other id. */
    async samlMetadata(id: string) {
      return serviceProviderMetadata(await protocols.requireSaml(id));
    },
    cookies: dependencies.accounts.cookies,
  };
}
export type Sso = ReturnType<typeof createSso>;

/** What becomes of a role that connections give to people who join, when it is deleted. */
export const givenRoles = { moveRole: moveGivenRole, moveTeamRole: moveGivenTeamRole };

/** Deletes sign-ins and links that have expired. */
export async function sweepSso(db: Queryable): Promise<void> {
  await sweepFlows(db);
  await sweepTestLinks(db);
}

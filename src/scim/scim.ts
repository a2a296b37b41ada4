import type { ManagedAccounts } from '../accounts/accounts.ts';
import type { Authz } from '../authz/authz.ts';
import type { Actor } from '../caller/actor.ts';
import type { Identified } from '../caller/read-identified.ts';
import { isRecent } from '../caller/recent.ts';
import { requireNotSuspended } from '../caller/refusals.ts';
import type { RequestFacts } from '../caller/route.ts';
import type { FormKey, FormKind } from '../limits/limits.ts';
import type { DirectoryChanges } from '../organizations/organizations.ts';
import { absent, forbidden } from '../platform/errors/refusal.ts';
import { isUuid } from '../platform/ids.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import { discoveryRoutes } from './discovery.ts';
import { createGroupRoutes } from './groups/groups.ts';
import type { ScimRequest, ScimResponse, ScimRoute } from './request.ts';
import { createScimAuthentication } from './tokens/authenticate.ts';
import type { Directory } from './tokens/authenticate.ts';
import { createScimTokens } from './tokens/tokens.ts';
import type { ScimTokensDependencies } from './tokens/tokens.ts';
import type { IsVerifiedDomain } from './users/rules.ts';
import { createUserRoutes } from './users/users.ts';

export { scimError, SCIM_TYPE } from './errors.ts';
export { exportUsers } from './users/store.ts';
export type { Directory, ScimResponse, ScimRoute };

/** A request as HTTP delivers it. */
export interface ReceivedRequest {
  /** In the path. */
  organization_id: string;
  /** In the path; null if it has none. */
  name: string | null;
  query: unknown;
  body: unknown;
  facts: Pick<RequestFacts, 'id' | 'address'>;
}

export interface ScimDependencies {
  database: Pick<Database, 'pool' | 'authPool'>;
  authz: Pick<Authz, 'edit'>;
  members: DirectoryChanges;
  accounts: ManagedAccounts;
  isAdmin: ScimTokensDependencies['isAdmin'];
  isVerifiedDomain: IsVerifiedDomain;
  wakeMail(): void;
  limitForm(kind: FormKind, key: FormKey): Promise<void>;
  publicUrl: string;
  log: Log;
}

/**
 * Creates the provisioning of an organization's members and teams by its directory (RFC 7643,
 * 7644).
 */
export function createScim(dependencies: ScimDependencies) {
  const { limitForm, publicUrl } = dependencies;
  const authentication = createScimAuthentication(dependencies);
  return {
    tokens: createScimTokens(dependencies),
    /** Resolves a bearer token; throws 401. */
    authenticate: authentication.authenticate,
    routes: [
      ...createUserRoutes(dependencies),
      ...createGroupRoutes(dependencies),
      ...discoveryRoutes,
    ],
    /**
     * Handles an authenticated request; throws 429, and 404 or 403 unless the token may provision
     * the organization in the path.
     */
    async handle(
      route: ScimRoute,
      { caller, read_at }: Identified<Directory>,
      received: ReceivedRequest,
    ) {
      await limitForm('scim', { account: caller.id });
      const current = isRecent(read_at) ? caller : await authentication.reread(caller);
      const { organization_id, name, query, body, facts } = received;
      const id = name !== null && isUuid(name) ? name.toLowerCase() : null;
      const requestOf = (directory: Directory): ScimRequest => {
        requireProvisioned(directory, organization_id);
        return {
          ...{ directory, id, name, query, body },
          actor: actorOf(directory, facts),
          base: `${publicUrl}/scim/v2/${directory.organization.id}`,
          refreshed: async () => requestOf(await authentication.reread(directory)),
        };
      };
      return route.handle(requestOf(current));
    },
  };
}
export type Scim = ReturnType<typeof createScim>;

/** Throws unless the directory may provision this organization now. */
function requireProvisioned({ organization }: Directory, organization_id: string): void {
  if (organization_id.toLowerCase() !== organization.id) throw absent('another organization');
  requireNotSuspended({ organization });
  if (organization.plan !== 'enterprise')
    throw forbidden(
      'plan_required',
      'SCIM requires the Enterprise plan. Upgrade the organization first.',
    );
}

const actorOf = (
  { id }: Directory,
  { id: request_id, address }: ReceivedRequest['facts'],
): Actor => ({ kind: 'scim_token', id, credential_id: id, request_id, address });

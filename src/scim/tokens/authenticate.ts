import type { Database } from '../../platform/postgres/database.ts';
import { invalidCredential } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { readToken, touchToken } from './store.ts';
import type { LiveToken } from './store.ts';

/** The directory that sends a request: its token, and the organization that the token is of. */
export type Directory = Pick<LiveToken, 'id' | 'organization' | 'scope'>;

export interface ScimAuthenticationDependencies {
  database: Pick<Database, 'pool' | 'authPool'>;
  log: Log;
}

// Tokens have 48 characters; anything much longer is rejected before hashing.
const TOKEN_LENGTH = 256;

/** Creates the function that resolves a bearer token; every invalid one gets the same 401. */
export function createScimAuthentication({ database, log }: ScimAuthenticationDependencies) {
  return async function authenticate(token: string): Promise<Directory> {
    if (token.length > TOKEN_LENGTH) throw invalidCredential('longer than any token');
    const found = await readToken(database.authPool, hashSecret(token));
    if (found === null) throw invalidCredential('unknown, or of a deleted organization');
    if (!found.used_recently)
      void touchToken(database.pool, found.id).catch((error: unknown) =>
        log.warn({ err: error }, 'last_used_at of a SCIM token could not be written'),
      );
    return { id: found.id, organization: found.organization, scope: found.scope };
  };
}

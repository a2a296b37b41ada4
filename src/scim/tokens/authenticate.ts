import type { Database } from '../../platform/postgres/database.ts';
import { invalidCredential } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { readToken, touchToken } from './store.ts';
import type { LiveToken } from './store.ts';

/** The directory that sends a request: its token, and the organization that the token is of. */
export type Directory = Pick<LiveToken, 'id' | 'organization' | 'scope' | 'may_change_emails'>;

export interface ScimAuthenticationDependencies {
  database: Pick<Database, 'pool' | 'authPool'>;
  log: Log;
}

// Tokens have 48 characters; anything much longer is rejected before hashing.
const TOKEN_LENGTH = 256;

/** Resolves the tokens of directories; every invalid one gets the same 401. */
export function createScimAuthentication({ database, log }: ScimAuthenticationDependencies) {
  const { pool, authPool } = database;

  async function find(sought: Parameters<typeof readToken>[1]): Promise<LiveToken> {
    const found = await readToken(authPool, sought);
    if (found === null) throw invalidCredential('unknown, or of a deleted organization');
    return found;
  }

  return {
    async authenticate(token: string): Promise<Directory> {
      if (token.length > TOKEN_LENGTH) throw invalidCredential('longer than any token');
      const found = await find({ hash: hashSecret(token) });
      if (!found.used_recently)
        void touchToken(pool, found.id).catch((error: unknown) =>
          log.warn({ err: error }, 'last_used_at of a SCIM token could not be written'),
        );
      return directoryOf(found);
    },
    /** Returns a directory as it is now; throws 401 once its token is revoked. */
    reread: async ({ id }: Directory): Promise<Directory> => directoryOf(await find({ id })),
  };
}

const directoryOf = ({ id, organization, scope, may_change_emails }: LiveToken): Directory => ({
  ...{ id, organization, scope, may_change_emails },
});

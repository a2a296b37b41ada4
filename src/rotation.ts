import { totpSeeds } from './accounts/totp/store.ts';
import { toolSecrets } from './content/tools/store.ts';
import { clientSecrets, upstreamFlows } from './content/upstreams/oauth/store.ts';
import { revokedTokens } from './content/upstreams/oauth/tokens/revocation-store.ts';
import { upstreamTokens } from './content/upstreams/oauth/tokens/store.ts';
import { upstreamHeaders } from './content/upstreams/store.ts';
import { sealedRequests } from './idempotency/store.ts';
import { signingKeys } from './oauth/signing-keys/store.ts';
import type { Database } from './platform/postgres/database.ts';
import { reencrypt } from './platform/postgres/reencrypt.ts';
import type { EncryptedColumn, ReencryptionResult } from './platform/postgres/reencrypt.ts';
import type { Secrets } from './platform/secrets.ts';
import { ssoSecrets } from './sso/connections/store.ts';

/** All encrypted columns, each with the name shown to operators. */
export const encryptedColumns: readonly (readonly [name: string, column: EncryptedColumn])[] = [
  ['Custom tool secrets', toolSecrets],
  ['Upstream headers', upstreamHeaders],
  ['Upstream tokens', upstreamTokens],
  ['Upstream tokens to revoke', revokedTokens],
  ['Client secrets of upstreams', clientSecrets],
  ['Authorizations at upstreams', upstreamFlows],
  ['Authenticator app seeds', totpSeeds],
  ['Client secrets of single sign-on', ssoSecrets],
  ['OAuth signing keys', signingKeys],
  ['Secrets of repeatable requests', sealedRequests],
];

/** Re-encrypts all encrypted columns with the current key, one column at a time. */
export async function* rotateSecrets(
  database: Database,
  secrets: Secrets,
): AsyncGenerator<ReencryptionResult & { name: string }> {
  for (const [name, column] of encryptedColumns)
    yield { name, ...(await reencrypt(database, secrets, column)) };
}

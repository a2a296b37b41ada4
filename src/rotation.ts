import { totpSeeds } from './accounts/totp/store.ts';
import { toolSecrets } from './content/tools/store.ts';
import { upstreamHeaders } from './content/upstreams/store.ts';
import type { Database } from './platform/postgres/database.ts';
import { reencrypt } from './platform/postgres/reencrypt.ts';
import type { EncryptedColumn, Reencrypted } from './platform/postgres/reencrypt.ts';
import type { Secrets } from './platform/secrets.ts';

/** Every column of ciphertext, by its name for operators. */
export const encryptedColumns: readonly (readonly [name: string, column: EncryptedColumn])[] = [
  ['Secrets of custom tools', toolSecrets],
  ['Headers of upstreams', upstreamHeaders],
  ['Seeds of authenticator apps', totpSeeds],
];

/** Encrypts everything that is stored encrypted with the current key, one column after the other. */
export async function* rotateSecrets(
  database: Database,
  secrets: Secrets,
): AsyncGenerator<Reencrypted & { name: string }> {
  for (const [name, column] of encryptedColumns)
    yield { name, ...(await reencrypt(database, secrets, column)) };
}

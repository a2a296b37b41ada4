import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { newId } from '../../../platform/ids.ts';
import { equalSecrets, hashSecret, newToken } from '../../../platform/secrets.ts';
import type { CreatedSecret } from '../schema.ts';
import { insertSecret, listHashes, touchSecret } from './store.ts';

// `cs_` and four characters: enough to tell secrets apart, too little to help guess one.
const PREFIX_LENGTH = 7;

/** A client has one secret, and a second one while it replaces the first. */
export const MAX_SECRETS = 2;

/** Creates a secret of a client; only its hash is stored. */
export async function createSecret(
  transaction: Transaction,
  client_id: string,
): Promise<CreatedSecret> {
  const client_secret = `cs_${newToken()}`;
  const { client_id: _client, ...secret } = await insertSecret(transaction, {
    ...{ id: newId(), client_id, hash: hashSecret(client_secret) },
    prefix: client_secret.slice(0, PREFIX_LENGTH),
  });
  return { ...secret, client_secret };
}

/** Returns whether this is a secret of the client, and records its use. */
export async function secretMatches(
  db: Queryable,
  client_id: string,
  secret: string,
): Promise<boolean> {
  const sent = hashSecret(secret);
  const stored = await listHashes(db, client_id);
  const [match] = stored.filter(({ secret_hash }) => equalSecrets(secret_hash, sent));
  if (match !== undefined) await touchSecret(db, match.id);
  return match !== undefined;
}

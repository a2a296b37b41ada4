import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import { addedSince } from '../added-since.ts';
import type { AddedSince } from '../added-since.ts';
import { Passkey } from './schema.ts';

const CredentialRow = z.object({
  id: z.string(),
  account_id: z.string(),
  credential_id: z.string(),
  public_key: z.instanceof(Buffer),
  counter: z.number(),
  /** The account's counter at the time of the read; see `invalidateProofs`. */
  sessions_ended: z.number(),
  created_at: z.string(),
});
export type Credential = z.infer<typeof CredentialRow>;

export async function findCredential(
  db: Queryable,
  credentialId: string,
): Promise<Credential | null> {
  return db.maybeOne(sql.type(CredentialRow)`
    SELECT passkey.id, passkey.account_id, passkey.credential_id, passkey.public_key,
      passkey.counter, account.sessions_ended, passkey.created_at
    FROM account_passkey passkey JOIN account ON account.id = passkey.account_id
    WHERE passkey.credential_id = ${credentialId}`);
}

const DescriptorRow = z.object({ id: z.string(), transports: z.array(z.string()) });

/** Returns the account's passkeys as WebAuthn credential descriptors. */
export async function listDescriptors(db: Queryable, accountId: string) {
  return db.any(sql.type(DescriptorRow)`
    SELECT credential_id AS id, transports FROM account_passkey
    WHERE account_id = ${accountId} ORDER BY id`);
}

const passkeyColumns = sql.fragment`id, name, created_at, last_used_at`;

export async function listPasskeys(db: Queryable, accountId: string) {
  return db.any(sql.type(Passkey)`
    SELECT ${passkeyColumns} FROM account_passkey WHERE account_id = ${accountId} ORDER BY id`);
}

export interface NewCredential {
  id: string;
  account_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: readonly string[];
  name: string;
}

/** Inserts a passkey; null if this or another account already has its credential. */
export async function insertPasskey(
  db: Queryable,
  passkey: NewCredential,
): Promise<Passkey | null> {
  return db.maybeOne(sql.type(Passkey)`
    INSERT INTO account_passkey
      (id, account_id, credential_id, public_key, counter, transports, name)
    VALUES (${passkey.id}, ${passkey.account_id}, ${passkey.credential_id},
      ${sql.binary(passkey.public_key)}, ${passkey.counter},
      ${sql.array(passkey.transports, 'text')}, ${passkey.name})
    ON CONFLICT (credential_id) DO NOTHING RETURNING ${passkeyColumns}`);
}

/**
 * Saves the signature counter and the time of use. False if the passkey was deleted or the counter
 * did not rise; authenticators without a counter always send 0.
 */
export async function markUsed(
  db: Queryable,
  { id, counter }: { id: string; counter: number },
): Promise<boolean> {
  const used = await db.query(sql.typeAlias('void')`
    UPDATE account_passkey SET counter = ${counter}, last_used_at = now()
    WHERE id = ${id} AND (counter < ${counter} OR (counter = 0 AND ${counter}::bigint = 0))`);
  return used.rowCount === 1;
}

export async function renamePasskey(
  db: Queryable,
  { id, account_id, name }: { id: string; account_id: string; name: string },
): Promise<Passkey | null> {
  return db.maybeOne(sql.type(Passkey)`
    UPDATE account_passkey SET name = ${name} WHERE id = ${id} AND account_id = ${account_id}
    RETURNING ${passkeyColumns}`);
}

/** Deletes a passkey. Returns since when the account had it; null if it does not. */
export function dropPasskey(
  db: Queryable,
  { id, account_id }: { id: string; account_id: string },
): Promise<string | null> {
  return db.maybeOneFirst(sql.type(Passkey.pick({ created_at: true }))`
    DELETE FROM account_passkey WHERE id = ${id} AND account_id = ${account_id}
    RETURNING created_at`);
}

const DroppedRow = z.object({ account_id: z.string() });

/** Deletes the passkeys that were added to each account at or after `since`, and returns them. */
export function dropPasskeysSince(
  db: Queryable,
  added: readonly AddedSince[],
): Promise<readonly { account_id: string }[]> {
  return db.any(sql.type(DroppedRow)`
    DELETE FROM account_passkey p USING ${addedSince(added)}
    WHERE p.account_id = added.account_id AND p.created_at >= added.since
    RETURNING p.account_id`);
}

/** Saves the challenge of a ceremony for five minutes, replacing an earlier one. */
export async function saveChallenge(
  db: Queryable,
  { flow_hash, challenge }: { flow_hash: Buffer; challenge: string },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO passkey_challenge (flow_hash, challenge, expires_at)
    VALUES (${sql.binary(flow_hash)}, ${challenge}, now() + interval '5 minutes')
    ON CONFLICT (flow_hash) DO UPDATE
    SET challenge = EXCLUDED.challenge, expires_at = EXCLUDED.expires_at`);
}

const ChallengeRow = z.object({ challenge: z.string() });

/** Consumes the challenge; of concurrent calls only one gets it. */
export async function takeChallenge(db: Queryable, flowHash: Buffer): Promise<string | null> {
  return db.maybeOneFirst(sql.type(ChallengeRow)`
    DELETE FROM passkey_challenge
    WHERE flow_hash = ${sql.binary(flowHash)} AND expires_at > now() RETURNING challenge`);
}

export async function sweepPasskeyChallenges(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'passkey_challenge', column: 'expires_at', age: '1 hour' });
}

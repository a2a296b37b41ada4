import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { addedSince } from '../added-since.ts';
import type { AddedSince } from '../added-since.ts';

interface Subject {
  issuer: string;
  subject: string;
}

const IdentityRow = z.object({
  id: z.string(),
  account_id: z.string(),
  /** The account's counter at the time of the read; see `invalidateProofs`. */
  sessions_ended: z.number(),
  created_at: z.string(),
});
export type KnownIdentity = z.infer<typeof IdentityRow>;

export async function findIdentity(db: Queryable, { issuer, subject }: Subject) {
  return db.maybeOne(sql.type(IdentityRow)`
    SELECT identity.id, identity.account_id, account.sessions_ended, identity.created_at
    FROM account_identity identity JOIN account ON account.id = identity.account_id
    WHERE identity.issuer = ${issuer} AND identity.subject = ${subject}`);
}

/** Inserts an identity; false if it is already linked, to this or another account. */
export async function insertIdentity(
  db: Queryable,
  identity: Subject & { id: string; account_id: string; provider: string },
): Promise<boolean> {
  const { id, account_id, provider, issuer, subject } = identity;
  const { rowCount } = await db.query(sql.typeAlias('void')`
    INSERT INTO account_identity (id, account_id, provider, issuer, subject, last_used_at)
    VALUES (${id}, ${account_id}, ${provider}, ${issuer}, ${subject}, now())
    ON CONFLICT ON CONSTRAINT account_identity_unique DO NOTHING`);
  return rowCount === 1;
}

/** Updates the time of last use; false if the identity was removed concurrently. */
export async function touchIdentity(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE account_identity SET last_used_at = now() WHERE id = ${id}`);
  return rowCount === 1;
}

const ListedRow = z.object({
  id: z.string(),
  provider: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});

export async function listIdentities(db: Queryable, accountId: string) {
  return db.any(sql.type(ListedRow)`
    SELECT id, provider, created_at, last_used_at FROM account_identity
    WHERE account_id = ${accountId} ORDER BY id`);
}

/**
 * Deletes an identity and remembers its subject. Returns since when it was linked; null if the
 * account does not have it.
 */
export async function deleteIdentity(
  db: Queryable,
  { id, account_id }: { id: string; account_id: string },
): Promise<string | null> {
  return db.maybeOneFirst(sql.type(z.object({ created_at: z.string() }))`
    WITH deleted AS (
      DELETE FROM account_identity WHERE id = ${id} AND account_id = ${account_id}
      RETURNING account_id, issuer, subject, created_at
    ), remembered AS (
      INSERT INTO account_unlinked_identity (account_id, issuer, subject)
      SELECT account_id, issuer, subject FROM deleted ON CONFLICT DO NOTHING
    )
    SELECT created_at FROM deleted`);
}

/** Returns whether anyone is linked through this issuer. */
export function hasIdentities(db: Queryable, issuer: string): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM account_identity WHERE issuer = ${issuer}`);
}

/** Deletes the identities of an issuer. */
export async function deleteIdentitiesOf(db: Queryable, issuer: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM account_identity WHERE issuer = ${issuer}`);
}

/** Deletes the identity of an account at an issuer; false if there is none. */
export async function deleteIdentityAt(
  db: Queryable,
  { issuer, account_id }: { issuer: string; account_id: string },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    DELETE FROM account_identity WHERE issuer = ${issuer} AND account_id = ${account_id}`);
  return rowCount > 0;
}

/** Returns whether the account once unlinked this identity. */
export async function wasUnlinked(
  db: Queryable,
  { account_id, issuer, subject }: Subject & { account_id: string },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM account_unlinked_identity
    WHERE account_id = ${account_id} AND issuer = ${issuer} AND subject = ${subject}`);
}

const DeletedRow = z.object({ id: z.string(), account_id: z.string(), provider: z.string() });
export type DeletedIdentity = z.infer<typeof DeletedRow>;

/** Deletes the identities that were linked to each account at or after `since`, and returns them. */
export function deleteIdentitiesLinkedSince(
  db: Queryable,
  added: readonly AddedSince[],
): Promise<readonly DeletedIdentity[]> {
  return db.any(sql.type(DeletedRow)`
    DELETE FROM account_identity i USING ${addedSince(added)}
    WHERE i.account_id = added.account_id AND i.created_at >= added.since
    RETURNING i.id, i.account_id, i.provider`);
}

const LinkedRow = z.object({ provider: z.string(), locale: z.string() });

/** Returns the provider and the locale for the e-mail that announces a new identity. */
export async function findNewIdentityEmail(db: Queryable, id: string) {
  return db.maybeOne(sql.type(LinkedRow)`
    SELECT account_identity.provider, account.locale
    FROM account_identity JOIN account ON account.id = account_identity.account_id
    WHERE account_identity.id = ${id}`);
}

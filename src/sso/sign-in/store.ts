import { z } from 'zod';
import type { MemberKey } from '../../organizations/organizations.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import type { AssertedPerson } from '../protocol.ts';

export type SavedPerson = Omit<AssertedPerson, 'used_once'>;

export interface NewFlow {
  id_hash: Buffer;
  connection_id: string;
  state_hash: Buffer;
  nonce: string;
  verifier: string;
  request_id: string;
  return_path: string;
  /** The account that tests the connection; null for a sign-in. */
  tested_by: string | null;
}

export async function insertFlow(db: Queryable, flow: NewFlow): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO sso_flow (id_hash, connection_id, state_hash, nonce, verifier, request_id,
      return_path, tested_by)
    VALUES (${sql.binary(flow.id_hash)}, ${flow.connection_id}, ${sql.binary(flow.state_hash)},
      ${flow.nonce}, ${flow.verifier}, ${flow.request_id}, ${flow.return_path},
      ${flow.tested_by})`);
}

const FlowRow = z.object({
  nonce: z.string(),
  verifier: z.string(),
  request_id: z.string(),
  return_path: z.string(),
  tested_by: z.string().nullable(),
  /** Database time in Unix seconds. */
  now: z.number(),
});
export type Flow = z.infer<typeof FlowRow>;

const columns = sql.fragment`nonce, verifier, request_id, return_path, tested_by,
  floor(extract(epoch FROM now()))::bigint AS now`;

/** Consumes the flow of this browser, once. A wrong state or connection consumes nothing. */
export function consumeFlow(
  db: Queryable,
  flow: { id_hash: Buffer; connection_id: string; state_hash: Buffer },
) {
  return db.maybeOne(sql.type(FlowRow)`
    UPDATE sso_flow SET consumed_at = now()
    WHERE id_hash = ${sql.binary(flow.id_hash)} AND state_hash = ${sql.binary(flow.state_hash)}
      AND connection_id = ${flow.connection_id} AND consumed_at IS NULL AND expires_at > now()
    RETURNING ${columns}`);
}

/**
 * Claims the flow that a response without the cookie belongs to, for this response. Of concurrent
 * responses to one flow, one gets it.
 */
export function claimFlow(
  db: Queryable,
  flow: { connection_id: string; state_hash: Buffer; handle_hash: Buffer },
) {
  return db.maybeOne(sql.type(FlowRow)`
    UPDATE sso_flow SET handle_hash = ${sql.binary(flow.handle_hash)}
    WHERE state_hash = ${sql.binary(flow.state_hash)} AND connection_id = ${flow.connection_id}
      AND consumed_at IS NULL AND handle_hash IS NULL AND expires_at > now()
    RETURNING ${columns}`);
}

/** Gives up the claim of a response that could not be verified, so that it can be sent again. */
export async function releaseFlow(
  db: Queryable,
  flow: { connection_id: string; state_hash: Buffer; handle_hash: Buffer },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE sso_flow SET handle_hash = NULL
    WHERE state_hash = ${sql.binary(flow.state_hash)} AND connection_id = ${flow.connection_id}
      AND handle_hash = ${sql.binary(flow.handle_hash)} AND person IS NULL`);
}

/**
 * Saves the person of the verified response that claimed a flow, for a minute, until the browser
 * comes back with the handle. False if the flow was ended in the meantime.
 */
export async function savePerson(
  db: Queryable,
  response: {
    connection_id: string;
    state_hash: Buffer;
    handle_hash: Buffer;
    person: SavedPerson;
  },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE sso_flow SET person = ${sql.jsonb({ ...response.person })},
      handle_expires_at = now() + interval '1 minute'
    WHERE state_hash = ${sql.binary(response.state_hash)}
      AND handle_hash = ${sql.binary(response.handle_hash)}
      AND connection_id = ${response.connection_id} AND person IS NULL`);
  return rowCount === 1;
}

const text = z.string().nullable();
const PersonRow = FlowRow.extend({
  person: z.object({
    subject: z.string(),
    email: text,
    first_name: text,
    last_name: text,
    locale: text,
  }),
});

/** Consumes the flow of this browser by the handle of its saved response, once. */
export function consumeHandle(
  db: Queryable,
  flow: { id_hash: Buffer; connection_id: string; handle_hash: Buffer },
) {
  return db.maybeOne(sql.type(PersonRow)`
    UPDATE sso_flow SET consumed_at = now()
    WHERE id_hash = ${sql.binary(flow.id_hash)} AND handle_hash = ${sql.binary(flow.handle_hash)}
      AND connection_id = ${flow.connection_id} AND consumed_at IS NULL
      AND person IS NOT NULL AND handle_expires_at > now()
    RETURNING ${columns}, person`);
}

/** Returns whether the person was a member of the organization, and is not any more. */
export function isFormerMember(
  db: Queryable,
  { organization_id, account_id }: MemberKey,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM membership
    WHERE organization_id = ${organization_id} AND account_id = ${account_id}
      AND left_at IS NOT NULL`);
}

/** Returns whether the person is a member of an organization other than this one. */
export function isMemberElsewhere(
  db: Queryable,
  { organization_id, account_id }: MemberKey,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.account_id = ${account_id} AND m.organization_id <> ${organization_id}
      AND m.left_at IS NULL AND o.deleted_at IS NULL`);
}

/**
 * Returns whether the link that a session was opened with exists: one that is newer than the session
 * may be another person's at the provider.
 */
export function isStillLinked(db: Queryable, session_id: string): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM account_session s JOIN account_identity i ON i.account_id = s.account_id
      AND i.sso_connection_id = s.sso_connection_id AND i.created_at <= s.created_at
    WHERE s.id = ${session_id}`);
}

const LinkRow = z.object({
  account_id: z.string(),
  connection_id: z.string(),
  organization_id: z.string(),
  may_link: z.boolean(),
});
export type Link = z.infer<typeof LinkRow>;

/** Returns the identities of an account that connections asserted. */
export function listLinks(db: Queryable, account_id: string): Promise<readonly Link[]> {
  return db.any(sql.type(LinkRow)`
    SELECT i.account_id, c.id AS connection_id, c.organization_id, c.may_link
    FROM account_identity i JOIN sso_connection c ON c.id = i.sso_connection_id
    WHERE i.account_id = ${account_id}
    ORDER BY i.id`);
}

const AccessRow = z.object({
  organization_id: z.string(),
  /** Whether a connection that no Admin configured has ever signed in to the account. */
  limited: z.boolean(),
  /** Whether a connection that someone other than the account’s person configured has. */
  by_others: z.boolean(),
  /** The connection that no Admin configured through which the account is linked now. */
  connection_id: z.string().nullable(),
});

/**
 * Returns the organizations whose connections have been able to sign in to an account, during the
 * membership, whether they still can or not.
 */
export function listAccess(db: Queryable, account_id: string) {
  return db.any(sql.type(AccessRow)`
    SELECT o.organization_id, o.limited, o.by_others, (
      SELECT c.id FROM account_identity i JOIN sso_connection c ON c.id = i.sso_connection_id
      WHERE i.account_id = o.account_id AND c.organization_id = o.organization_id
        AND NOT c.may_link
      ORDER BY i.id LIMIT 1) AS connection_id
    FROM sso_access o WHERE o.account_id = ${account_id} ORDER BY o.organization_id`);
}

/** Returns whether a connection that no Admin configured has ever signed in to the account of a member. */
export function hadLimitedAccess(
  db: Queryable,
  { organization_id, account_id }: MemberKey,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM sso_access
    WHERE organization_id = ${organization_id} AND account_id = ${account_id} AND limited`);
}

/** Roles that members have, and the table that says so. */
export interface RoleHeld {
  organization_id: string;
  role_ids: readonly string[];
  table: 'membership_role' | 'team_member_role';
}

const AccountRow = z.object({ account_id: z.string() });

/**
 * Returns the accounts of members who have a role, which a connection that no Admin configured has
 * ever signed in to.
 */
export function listLimitedAccounts(
  db: Queryable,
  { organization_id, role_ids, table }: RoleHeld,
): Promise<readonly string[]> {
  return db.anyFirst(sql.type(AccountRow)`
    SELECT o.account_id FROM sso_access o JOIN membership m
      ON m.organization_id = o.organization_id AND m.account_id = o.account_id
    WHERE o.organization_id = ${organization_id} AND o.limited AND EXISTS (
      SELECT FROM ${sql.identifier([table])} r
      WHERE r.membership_id = m.id AND r.role_id = ANY(${sql.array([...role_ids], 'uuid')}))
    ORDER BY o.account_id`);
}

/** Ends the flows of a connection whose configuration changes. */
export async function dropFlows(transaction: Transaction, connection_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM sso_flow WHERE connection_id = ${connection_id}`);
}

export async function sweepFlows(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'sso_flow', column: 'expires_at', age: '1 hour' });
}

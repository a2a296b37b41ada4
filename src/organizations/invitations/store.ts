import { isMember, knownAddress } from '../../caller/membership.ts';
import { positioned, sortedPage } from '../../platform/postgres/sorted-rows.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import { HeldRoleRow } from '../rows.ts';
import { insertInvitedRoles, rolesColumn } from './roles/store.ts';
import { insertInvitedSeats, seatsColumn } from './seats/store.ts';
import type { InvitedSeat } from './seats/store.ts';
import { TeamsRow } from '../teams/seats/store.ts';
import { InvitationRecord } from './schema.ts';
import type { RoleKey } from '../roles/store.ts';

const InvitationRow = InvitationRecord.extend({ roles: z.array(HeldRoleRow), teams: TeamsRow });
export type InvitationRow = z.infer<typeof InvitationRow>;

const shownStatus = sql.fragment`
  CASE WHEN i.status = 'pending' AND i.expires_at <= now() THEN 'expired' ELSE i.status END`;

const invitationsOf = (organization_id: string, column = sql.fragment`i.id`) => sql.fragment`
  SELECT ${column}, i.id, i.email, i.created_at, i.expires_at, ${rolesColumn}, ${seatsColumn},
    ${shownStatus} AS status,
    CASE WHEN a.id IS NOT NULL
      THEN json_build_object('account_id', a.id, 'email', ${knownAddress}) END AS invited_by
  FROM organization_invitation i LEFT JOIN account a ON a.id = i.invited_by
  LEFT JOIN membership m ON m.account_id = a.id AND m.organization_id = i.organization_id
  WHERE i.organization_id = ${organization_id}`;

/** Identifies an invitation and its organization. */
export interface InvitationKey {
  id: string;
  organization_id: string;
}

export function findInvitation(db: Queryable, { id, organization_id }: InvitationKey) {
  return db.maybeOne(sql.type(InvitationRow)`
    ${invitationsOf(organization_id)} AND i.id = ${id}`);
}

const invitationOrder = { id: sql.fragment`i.id`, name: sql.fragment`i.email` };

/** Returns a page of invitations for `toRowsPage`; `q` is the beginning of an address. */
export function listInvitations(db: Queryable, organization_id: string, query: ListQuery) {
  const { position, conditions, order } = sortedPage(invitationOrder, query);
  return db.any(sql.type(positioned(InvitationRow))`
    ${invitationsOf(organization_id, position)} ${conditions} ${order}`);
}

const GrantedRow = z.object({ roles: z.array(HeldRoleRow), teams: TeamsRow });

/** Returns the roles and seats that an invitation grants; null if it was deleted. */
export function findGranted(db: Queryable, id: string) {
  return db.maybeOne(sql.type(GrantedRow)`
    SELECT ${rolesColumn}, ${seatsColumn} FROM organization_invitation i WHERE i.id = ${id}`);
}

/** An address invited to an organization. */
export interface InvitedAddress {
  organization_id: string;
  email: string;
}

const AddressStatusRow = z.object({ is_member: z.boolean(), is_invited: z.boolean() });

/** Returns whether an address belongs to a member, and whether it has an open invitation. */
export function findAddressStatus(db: Queryable, { organization_id, email }: InvitedAddress) {
  return db.one(sql.type(AddressStatusRow)`
    SELECT EXISTS (
      SELECT FROM membership m JOIN account a ON a.id = m.account_id
      WHERE m.organization_id = ${organization_id} AND m.left_at IS NULL AND a.email = ${email}
    ) AS is_member, EXISTS (
      SELECT FROM organization_invitation
      WHERE organization_id = ${organization_id} AND email = ${email} AND status = 'pending'
        AND expires_at > now()
    ) AS is_invited`);
}

const CountRow = z.object({ count: z.number() });

export function countOpenInvitations(db: Queryable, organization_id: string): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM organization_invitation
    WHERE organization_id = ${organization_id} AND status = 'pending' AND expires_at > now()`);
}

export interface NewInvitation extends InvitationKey, InvitedAddress {
  invited_by: string;
  email_id: string;
  role_ids: readonly string[];
  seats: readonly InvitedSeat[];
}

/**
 * Inserts an invitation, after ending an expired one to the same address. Returns false if the
 * address has an open invitation.
 */
export async function insertInvitation(
  transaction: Transaction,
  { id, organization_id, email, invited_by, email_id, role_ids, seats }: NewInvitation,
): Promise<boolean> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation SET status = 'expired', ended_at = now(), token_hash = NULL
    WHERE organization_id = ${organization_id} AND email = ${email} AND ended_at IS NULL
      AND expires_at <= now()`);
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_invitation (id, organization_id, email, invited_by, email_id)
    VALUES (${id}, ${organization_id}, ${email}, ${invited_by}, ${email_id})
    ON CONFLICT (organization_id, email) WHERE status = 'pending' DO NOTHING`);
  if (rowCount === 0) return false;
  await insertInvitedRoles(transaction, { id, organization_id }, role_ids);
  await insertInvitedSeats(transaction, { id, organization_id }, seats);
  return true;
}

/** Invalidates the link and restarts the seven days; false if the invitation has ended. */
export async function renewInvitation(
  transaction: Transaction,
  {
    id,
    organization_id,
    email_id,
    invited_by,
  }: InvitationKey & Pick<NewInvitation, 'email_id' | 'invited_by'>,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation SET email_id = ${email_id}, invited_by = ${invited_by},
      token_hash = NULL, expires_at = now() + interval '7 days'
    WHERE id = ${id} AND organization_id = ${organization_id} AND status = 'pending'`);
  return rowCount === 1;
}

/** Revokes an invitation; false if it has already ended. */
export async function revokeInvitation(
  transaction: Transaction,
  { id, organization_id }: InvitationKey,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation SET status = 'revoked', ended_at = now(), token_hash = NULL
    WHERE id = ${id} AND organization_id = ${organization_id} AND ended_at IS NULL`);
  return rowCount === 1;
}

/** Revokes the open invitation to an address, if there is one. */
export async function revokeInvitationsTo(
  transaction: Transaction,
  { organization_id, email }: InvitedAddress,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation SET status = 'revoked', ended_at = now(), token_hash = NULL
    WHERE organization_id = ${organization_id} AND email = ${email} AND ended_at IS NULL`);
}

const isOpen = sql.fragment`i.status = 'pending' AND i.expires_at > now()`;

const LocaleRow = z.object({ locale: z.string() });

/**
 * Returns the language for the e-mail of an open invitation: the invited account's, else the
 * inviter's. Null if a later e-mail has replaced this one, or if the invitation is no longer open.
 */
export function findEmailLocale(db: Queryable, email_id: string): Promise<string | null> {
  return db.maybeOneFirst(sql.type(LocaleRow)`
    SELECT coalesce((SELECT locale FROM account WHERE email = i.email), inviter.locale) AS locale
    FROM organization_invitation i
    JOIN account inviter ON inviter.id = i.invited_by AND inviter.status = 'active'
    JOIN organization o ON o.id = i.organization_id AND o.deleted_at IS NULL
    WHERE i.email_id = ${email_id} AND ${isOpen}`);
}

/** Saves the link of an e-mail; false if the invitation has ended or a later e-mail replaced it. */
export async function saveLink(
  transaction: Transaction,
  { email_id, hash }: { email_id: string; hash: Buffer },
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation SET token_hash = ${sql.binary(hash)}
    WHERE email_id = ${email_id} AND status = 'pending'`);
  return rowCount === 1;
}

const OpenRow = z.object({
  id: z.string(),
  organization_id: z.string(),
  organization_name: z.string(),
  email: z.string(),
  invited_by: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  expires_at: z.string(),
});
/** An invitation that can still be accepted, unless the inviter has lost authority. */
export type OpenInvitation = z.infer<typeof OpenRow>;

const openInvitations = sql.fragment`
  SELECT i.id, i.organization_id, o.name AS organization_name, i.email, i.expires_at,
    i.invited_by, inviter.first_name, inviter.last_name
  FROM organization_invitation i
  JOIN account inviter ON inviter.id = i.invited_by AND inviter.status = 'active'
  JOIN organization o ON o.id = i.organization_id AND o.deleted_at IS NULL
  WHERE ${isOpen}`;

export function findInvitationByLink(db: Queryable, hash: Buffer) {
  return db.maybeOne(sql.type(OpenRow)`
    ${openInvitations} AND i.token_hash = ${sql.binary(hash)}`);
}

export function findOpenInvitation(db: Queryable, id: string) {
  return db.maybeOne(sql.type(OpenRow)`${openInvitations} AND i.id = ${id}`);
}

/**
 * Consumes an invitation for the account that has its address; of concurrent calls only one
 * succeeds. If `hash` is given, it must still be the link's.
 */
export async function consumeInvitation(
  transaction: Transaction,
  { id, account_id, hash }: { id: string; account_id: string; hash: Buffer | null },
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation i SET status = 'accepted', ended_at = now(), token_hash = NULL
    WHERE i.id = ${id} AND i.ended_at IS NULL AND ${isOpen}
      AND i.email = (SELECT email FROM account WHERE account.id = ${account_id})
      AND (${hash && sql.binary(hash)}::bytea IS NULL
        OR i.token_hash = ${hash && sql.binary(hash)}::bytea)`);
  return rowCount === 1;
}

/** Ends the expired invitations that name a role, so that the role is no longer in use. */
export async function endExpiredInvitations(
  transaction: Transaction,
  role: RoleKey,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation i SET status = 'expired', ended_at = now(), token_hash = NULL
    WHERE i.organization_id = ${role.organization_id} AND i.ended_at IS NULL
      AND i.expires_at <= now() AND i.id IN (
        SELECT invitation_id FROM organization_invitation_role
        WHERE organization_id = ${role.organization_id} AND role_id = ${role.id}
        UNION ALL SELECT invitation_id FROM organization_invitation_seat_role
        WHERE organization_id = ${role.organization_id} AND role_id = ${role.id})`);
}

const ExportedRow = InvitationRecord.pick({
  status: true,
  created_at: true,
  expires_at: true,
}).extend({ organization_id: z.string(), organization: z.string().nullable() });

/**
 * Returns the invitations to an account's address for its export, newest first. Those that are not
 * open name the organization only to its members: it may have another name since.
 */
export function exportInvitations(db: Queryable, account_id: string, limit: number) {
  return db.any(sql.type(ExportedRow)`
    SELECT i.organization_id, CASE WHEN ${isOpen} OR ${isMember} THEN o.name END AS organization,
      ${shownStatus} AS status, i.created_at, i.expires_at
    FROM organization_invitation i
    JOIN account a ON a.email = i.email
    JOIN organization o ON o.id = i.organization_id AND o.deleted_at IS NULL
    LEFT JOIN membership m ON m.account_id = a.id AND m.organization_id = i.organization_id
    WHERE a.id = ${account_id} ORDER BY i.id DESC LIMIT ${limit}`);
}

/** Deletes all invitations to these addresses, from every organization. */
export async function forgetAddresses(
  transaction: Transaction,
  addresses: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM organization_invitation
    WHERE email = ANY(${sql.array([...addresses], 'text')})`);
}

/** Deletes all invitations of an organization. */
export async function deleteInvitations(
  transaction: Transaction,
  organization_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM organization_invitation WHERE organization_id = ${organization_id}`);
}

/** Deletes invitations a month after they expired, whether they were accepted or not. */
export async function sweepInvitations(db: Queryable): Promise<void> {
  await sweepOlder(db, {
    table: 'organization_invitation',
    column: 'expires_at',
    age: '30 days',
  });
}

import { z } from 'zod';
import { isManagedThrough } from '../../accounts/accounts.ts';
import { isMember, knownAddress } from '../../caller/membership.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import { conditionOf } from '../filter/condition.ts';
import type { Attributes } from '../filter/condition.ts';
import type { Filter } from '../filter/parse.ts';

/** Identifies a user, whose id is that of the account, in an organization. */
export interface UserKey {
  organization_id: string;
  account_id: string;
}

const UserRow = z.object({
  account_id: z.string(),
  membership_id: z.string(),
  user_name: z.string(),
  external_id: z.string().nullable(),
  given_name: z.string().nullable(),
  family_name: z.string().nullable(),
  display_name: z.string().nullable(),
  /** The address of the account, to decide on; directories see `visible_email`. */
  email: z.string().nullable(),
  visible_email: z.string().nullable(),
  active: z.boolean(),
  /** Whether the organization created the account, and the person has not taken it over. */
  is_created: z.boolean(),
  /** Whether the organization manages the account while the user is active. */
  is_managed: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  groups: z.array(z.object({ id: z.string(), display_name: z.string() })),
});
export type UserRow = z.infer<typeof UserRow>;

const source = (organization_id: string) => sql.fragment`
  FROM scim_user u
  JOIN membership m ON m.id = u.membership_id
  JOIN account a ON a.id = m.account_id
  WHERE u.organization_id = ${organization_id}`;

const columns = sql.fragment`
  m.account_id, u.membership_id, u.user_name, u.external_id, u.given_name, u.family_name,
  u.display_name, a.email, ${knownAddress} AS visible_email, m.left_at IS NULL AS active,
  a.managed_by IS NOT DISTINCT FROM u.organization_id AS is_created,
  ${isManagedThrough({ membership: 'm', account: 'a' })} AS is_managed, u.created_at, u.updated_at,
  (SELECT coalesce(json_agg(json_build_object('id', g.team_id, 'display_name', g.display_name)
      ORDER BY g.display_name), '[]')
    FROM scim_group_member i
    JOIN scim_group g ON g.team_id = i.team_id
    JOIN team t ON t.id = g.team_id AND t.deleted_at IS NULL
    WHERE i.membership_id = u.membership_id) AS groups`;

/** The attributes that filters of users may name. */
const attributes: Attributes = {
  id: { type: 'lower', column: sql.fragment`m.account_id::text` },
  username: { type: 'lower', column: sql.fragment`u.user_name` },
  externalid: { type: 'exact', column: sql.fragment`u.external_id` },
  'name.givenname': { type: 'text', column: sql.fragment`u.given_name` },
  'name.familyname': { type: 'text', column: sql.fragment`u.family_name` },
  displayname: { type: 'text', column: sql.fragment`u.display_name` },
  emails: { type: 'lower', column: knownAddress },
  'emails.value': { type: 'lower', column: knownAddress },
  'emails.type': { type: 'lower', column: sql.fragment`'work'::text` },
  'emails.primary': { type: 'boolean', column: sql.fragment`true` },
  active: { type: 'boolean', column: sql.fragment`(m.left_at IS NULL)` },
  'meta.created': { type: 'time', column: sql.fragment`u.created_at` },
  'meta.lastmodified': { type: 'time', column: sql.fragment`u.updated_at` },
};

const where = (filter: Filter | null) =>
  filter === null ? sql.fragment`` : sql.fragment`AND ${conditionOf(filter, attributes)}`;

/** Returns a user; null if the directory did not create it. */
export function findUser(db: Queryable, { organization_id, account_id }: UserKey) {
  return db.maybeOne(sql.type(UserRow)`
    SELECT ${columns} ${source(organization_id)} AND m.account_id = ${account_id}`);
}

/** Returns users from `offset` on, in the order in which they were created. */
export function listUsers(
  db: Queryable,
  organization_id: string,
  { filter, limit, offset }: { filter: Filter | null; limit: number; offset: number },
) {
  return db.any(sql.type(UserRow)`
    SELECT ${columns} ${source(organization_id)} ${where(filter)}
    ORDER BY u.created_at, u.membership_id LIMIT ${limit} OFFSET ${offset}`);
}

const CountRow = z.object({ count: z.number() });

export function countUsers(
  db: Queryable,
  organization_id: string,
  filter: Filter | null,
): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) ${source(organization_id)} ${where(filter)}`);
}

const ExportedRow = UserRow.pick({
  ...{ user_name: true, external_id: true, given_name: true, family_name: true },
  ...{ display_name: true, active: true, created_at: true, updated_at: true },
}).extend({ organization_id: z.string(), groups: z.array(z.string()) });

/**
 * Returns what the directories of organizations store about a person, for the account export. Groups
 * are named only to members: they may have other names since.
 */
export function exportUsers(db: Queryable, account_id: string, limit: number) {
  return db.any(sql.type(ExportedRow)`
    SELECT u.organization_id, u.user_name, u.external_id, u.given_name, u.family_name,
      u.display_name, m.left_at IS NULL AS active, u.created_at, u.updated_at,
      ARRAY(SELECT g.display_name FROM scim_group_member i
        JOIN scim_group g ON g.team_id = i.team_id
        JOIN team t ON t.id = g.team_id AND t.deleted_at IS NULL
        WHERE i.membership_id = u.membership_id AND ${isMember}
        ORDER BY g.display_name) AS groups
    FROM scim_user u JOIN membership m ON m.id = u.membership_id
    WHERE m.account_id = ${account_id} ORDER BY u.created_at DESC LIMIT ${limit}`);
}

export function hasUserNamed(
  db: Queryable,
  organization_id: string,
  user_name: string,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM scim_user WHERE organization_id = ${organization_id} AND user_name = ${user_name}`);
}

const AccountRow = z.object({ id: z.string(), managed_by: z.string().nullable() });

/** Returns the account with an address. */
export function findAccountByEmail(db: Queryable, email: string) {
  return db.maybeOne(sql.type(AccountRow)`
    SELECT id, managed_by FROM account WHERE email = ${email}`);
}

/** The attributes of a user that are stored as sent. */
export type UserAttributes = Pick<
  UserRow,
  'user_name' | 'external_id' | 'given_name' | 'family_name' | 'display_name'
>;

/** Inserts a user; false if the directory has one for the person or with this name. */
export async function insertUser(
  transaction: Transaction,
  { membership_id, organization_id }: { membership_id: string; organization_id: string },
  user: UserAttributes,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    INSERT INTO scim_user (membership_id, organization_id, user_name, external_id, given_name,
      family_name, display_name)
    VALUES (${membership_id}, ${organization_id}, ${user.user_name}, ${user.external_id},
      ${user.given_name}, ${user.family_name}, ${user.display_name})
    ON CONFLICT DO NOTHING`);
  return rowCount === 1;
}

/** Replaces the attributes of a user; returns false if another user has the name. */
export function updateUser(
  transaction: Transaction,
  membership_id: string,
  user: UserAttributes,
): Promise<boolean> {
  const statement = transaction.query(sql.typeAlias('void')`
    UPDATE scim_user SET user_name = ${user.user_name}, external_id = ${user.external_id},
      given_name = ${user.given_name}, family_name = ${user.family_name},
      display_name = ${user.display_name}, updated_at = now()
    WHERE membership_id = ${membership_id}`);
  return withFallbackOnViolation(
    statement.then(() => true),
    ['scim_user_name_unique'],
    false,
  );
}

/** Deletes a user, with its place in groups; the membership must have ended. */
export async function deleteUser(transaction: Transaction, membership_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM scim_user WHERE membership_id = ${membership_id}`);
}

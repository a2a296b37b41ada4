import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { HeldRoleRow, heldRoles } from '../../rows.ts';

/** Identifies a member's seat in a team. */
export interface SeatKey {
  organization_id: string;
  team_id: string;
  membership_id: string;
}

/** The roles of `team_member s`, as `HeldRoleRow`s. */
export const seatRoles = heldRoles(sql.fragment`
  team_member_role r LEFT JOIN team_role c ON c.id = r.custom_role_id
  WHERE r.team_id = s.team_id AND r.membership_id = s.membership_id`);

/** A member's seats, as `teamsColumn` aggregates them. */
export const TeamsRow = z.array(
  z.object({ id: z.string(), name: z.string(), roles: z.array(HeldRoleRow) }),
);

/** The teams of `membership m` that are not deleted, as `TeamsRow`. */
export const teamsColumn = sql.fragment`(
  SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'roles', ${seatRoles})
    ORDER BY t.name), '[]')
  FROM team_member s JOIN team t ON t.id = s.team_id AND t.deleted_at IS NULL
  WHERE s.membership_id = m.id) AS teams`;

const SeatRow = z.object({ roles: z.array(HeldRoleRow), joined_at: z.string() });
export type SeatRow = z.infer<typeof SeatRow>;

/** Returns a member's seat in a team; null if the member has none. */
export function findSeat(db: Queryable, seat: Omit<SeatKey, 'organization_id'>) {
  return db.maybeOne(sql.type(SeatRow)`
    SELECT ${seatRoles} AS roles, s.joined_at FROM team_member s
    WHERE s.team_id = ${seat.team_id} AND s.membership_id = ${seat.membership_id}`);
}

/** Returns the roles of a seat as stored: with deleted ones, without those that replace them. */
export function listSeatRoleIds(
  db: Queryable,
  seat: Omit<SeatKey, 'organization_id'>,
): Promise<readonly string[]> {
  return db.anyFirst(sql.type(z.object({ role_id: z.string() }))`
    SELECT role_id FROM team_member_role
    WHERE team_id = ${seat.team_id} AND membership_id = ${seat.membership_id}`);
}

const ListedRow = SeatRow.extend({
  id: z.string(),
  account_id: z.string(),
  email: z.string().nullable(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
});

/** Returns seats of a team after `cursor`, in the order in which people joined the organization. */
export function listSeats(
  db: Queryable,
  team_id: string,
  page: { limit: number; cursor: string | null },
) {
  return db.any(sql.type(ListedRow)`
    SELECT m.id, m.account_id, a.email, a.first_name, a.last_name, s.joined_at,
      ${seatRoles} AS roles
    FROM team_member s
    JOIN membership m ON m.id = s.membership_id
    JOIN account a ON a.id = m.account_id
    WHERE s.team_id = ${team_id} AND (${page.cursor}::uuid IS NULL OR m.id > ${page.cursor}::uuid)
    ORDER BY m.id LIMIT ${page.limit}`);
}

/**
 * The ids of a seat's object in OpenFGA, and of its scope. A person's keys and connections that are
 * bound to a team have a seat there, even if the person has not joined the team.
 */
const NamedRow = z.object({
  team_id: z.string(),
  membership_id: z.string(),
  organization_id: z.string(),
  account_id: z.string(),
  joined: z.boolean(),
});
export type NamedSeat = z.infer<typeof NamedRow>;
/** The ids that identify a seat, and its organization. */
export type SeatName = Pick<NamedSeat, 'team_id' | 'organization_id' | 'account_id'>;

/** The teams to which people's live keys and OAuth connections are bound. */
const bindings = sql.fragment`(
  SELECT b.team_id, b.organization_id, k.account_id
  FROM api_key_team b JOIN api_key k ON k.id = b.key_id AND k.revoked_at IS NULL
  UNION ALL
  SELECT b.team_id, b.organization_id, c.account_id
  FROM oauth_connection_team b
  JOIN oauth_connection c ON c.id = b.connection_id AND c.revoked_at IS NULL
)`;

const namedSeats = (condition: ReturnType<typeof sql.fragment>) => sql.fragment`
  SELECT s.team_id, s.membership_id, s.organization_id, m.account_id, bool_or(s.joined) AS joined
  FROM (
    SELECT team_id, organization_id, membership_id, true AS joined FROM team_member
    UNION ALL
    SELECT b.team_id, b.organization_id, o.id, false
    FROM ${bindings} b
    JOIN membership o ON o.account_id = b.account_id AND o.organization_id = b.organization_id
  ) s JOIN membership m ON m.id = s.membership_id
  WHERE ${condition}
  GROUP BY s.team_id, s.membership_id, s.organization_id, m.account_id`;

/** Returns the seats of these members, even in deleted teams. */
export function listSeatsOf(db: Queryable, membershipIds: readonly string[]) {
  return db.any(sql.type(NamedRow)`
    ${namedSeats(sql.fragment`s.membership_id = ANY(${sql.array([...membershipIds], 'uuid')})`)}
    ORDER BY s.membership_id, s.team_id`);
}

/** Returns the ids of the teams that a member has joined, even of deleted ones. */
export function listTeamIdsOf(db: Queryable, membership_id: string): Promise<readonly string[]> {
  return db.anyFirst(sql.type(NamedRow.pick({ team_id: true }))`
    SELECT team_id FROM team_member WHERE membership_id = ${membership_id} ORDER BY team_id`);
}

/**
 * Returns the given seats that exist. Looks each up by its keys: a condition on both the team
 * and the person is not applied inside the union of all seats.
 */
export function findSeats(
  db: Queryable,
  seats: readonly Pick<NamedSeat, 'team_id' | 'account_id'>[],
) {
  const pairs = seats.map((seat) => [seat.team_id, seat.account_id]);
  return db.any(sql.type(NamedRow)`
    SELECT t.id AS team_id, m.id AS membership_id, m.organization_id, m.account_id,
      s.team_id IS NOT NULL AS joined
    FROM ${sql.unnest(pairs, ['uuid', 'uuid'])} AS named (team_id, account_id)
    JOIN team t ON t.id = named.team_id
    JOIN membership m ON m.account_id = named.account_id AND m.organization_id = t.organization_id
    LEFT JOIN team_member s ON s.team_id = t.id AND s.membership_id = m.id
    WHERE s.team_id IS NOT NULL OR EXISTS (
      SELECT FROM ${bindings} b WHERE b.team_id = t.id AND b.account_id = m.account_id)`);
}

/** Returns the seats of a member in deleted teams. */
export function listDeletedSeatsOf(db: Queryable, membership_id: string) {
  return db.any(sql.type(NamedRow)`
    ${namedSeats(sql.fragment`s.membership_id = ${membership_id} AND s.team_id IN (
      SELECT id FROM team WHERE deleted_at IS NOT NULL)`)}`);
}

const CountRow = z.object({ count: z.number() });

/** Counts the teams that a member is in; seats in deleted teams are being removed. */
export function countSeatsOf(db: Queryable, membership_id: string): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM team_member s JOIN team t ON t.id = s.team_id AND t.deleted_at IS NULL
    WHERE s.membership_id = ${membership_id}`);
}

/** Returns up to `limit` seats of a team. */
export function listSeatBatch(db: Queryable, team_id: string, limit: number) {
  return db.any(sql.type(NamedRow)`
    ${namedSeats(sql.fragment`s.team_id = ${team_id}`)} ORDER BY s.membership_id LIMIT ${limit}`);
}

/** Returns up to `limit` seats with a role. */
export function listSeatsWithRole(
  db: Queryable,
  role: { organization_id: string; id: string },
  limit: number,
) {
  return db.any(sql.type(NamedRow)`
    SELECT r.team_id, r.membership_id, r.organization_id, m.account_id, true AS joined
    FROM team_member_role r JOIN membership m ON m.id = r.membership_id
    WHERE r.organization_id = ${role.organization_id} AND r.role_id = ${role.id}
    ORDER BY r.membership_id, r.team_id LIMIT ${limit}`);
}

/** Takes a deleted role from these seats, and gives them the one that replaces it, if any. */
export async function replaceDeletedRole(
  transaction: Transaction,
  seats: readonly SeatKey[],
  role_id: string,
): Promise<void> {
  const pairs = sql.unnest(
    seats.map((seat) => [seat.team_id, seat.membership_id]),
    ['uuid', 'uuid'],
  );
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO team_member_role (organization_id, team_id, membership_id, role_id, role_owner_id)
    SELECT r.organization_id, r.team_id, r.membership_id, c.replaced_by,
      coalesce(replacement.owner_id, r.organization_id)
    FROM team_member_role r
    JOIN team_role c ON c.id = r.custom_role_id
    LEFT JOIN team_role replacement ON replacement.id = c.replaced_by
    WHERE r.role_id = ${role_id} AND c.replaced_by IS NOT NULL
      AND (r.team_id, r.membership_id) IN (SELECT * FROM ${pairs})
    ON CONFLICT DO NOTHING`);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team_member_role
    WHERE role_id = ${role_id} AND (team_id, membership_id) IN (SELECT * FROM ${pairs})`);
}

/** Inserts a seat and returns its creation time; null if the member already has one. */
export function insertSeat(transaction: Transaction, seat: SeatKey): Promise<string | null> {
  return transaction.maybeOneFirst(sql.type(SeatRow.pick({ joined_at: true }))`
    INSERT INTO team_member (organization_id, team_id, membership_id)
    VALUES (${seat.organization_id}, ${seat.team_id}, ${seat.membership_id})
    ON CONFLICT DO NOTHING RETURNING joined_at`);
}

/** Replaces the roles of a seat; each role is the team's own or for all teams. */
export async function replaceSeatRoles(
  transaction: Transaction,
  seat: SeatKey,
  roleIds: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team_member_role
    WHERE team_id = ${seat.team_id} AND membership_id = ${seat.membership_id}`);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO team_member_role (organization_id, team_id, membership_id, role_id, role_owner_id)
    SELECT ${seat.organization_id}, ${seat.team_id}, ${seat.membership_id}, held.id,
      coalesce(c.owner_id, ${seat.organization_id}::uuid)
    FROM unnest(${sql.array([...roleIds], 'uuid')}) AS held (id)
    LEFT JOIN team_role c ON c.id = held.id`);
}

/** Deletes the seats of members in a team. */
export async function deleteSeats(
  transaction: Transaction,
  team_id: string,
  membershipIds: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team_member
    WHERE team_id = ${team_id} AND membership_id = ANY(${sql.array([...membershipIds], 'uuid')})`);
}

/** Deletes all seats of a member. */
export async function deleteSeatsOf(
  transaction: Transaction,
  membership_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team_member WHERE membership_id = ${membership_id}`);
}

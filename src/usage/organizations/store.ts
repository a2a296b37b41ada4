import { z } from 'zod';
import { knownAddress } from '../../caller/membership.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { CredentialKind } from './schema.ts';

/** An organization, or one of its teams. */
export interface Group {
  organization_id: string;
  group_id: string;
}

const thisMonth = sql.fragment`date_trunc('month', now() AT TIME ZONE 'UTC')::date`;
const sharesOf = ({ organization_id, group_id }: Group) => sql.fragment`
  s.organization_id = ${organization_id} AND s.group_id = ${group_id} AND s.month = ${thisMonth}`;

const MemberRow = z.object({
  account_id: z.string(),
  email: z.string().nullable(),
  calls: z.number(),
});

/** Counts this month's calls per person, most calls first. */
export function listShareOfMembers(db: Queryable, group: Group, most: number) {
  return db.any(sql.type(MemberRow)`
    SELECT s.part_id AS account_id, ${knownAddress} AS email, s.calls
    FROM usage_share s
    LEFT JOIN membership m ON m.organization_id = s.organization_id
      AND m.account_id::text = s.part_id
    LEFT JOIN account a ON a.id = m.account_id
    WHERE ${sharesOf(group)} AND s.part = 'member'
    ORDER BY s.calls DESC, s.part_id LIMIT ${most}`);
}

const CredentialRow = z.object({ kind: CredentialKind, id: z.string(), calls: z.number() });

/** Counts this month's calls per credential, most calls first. */
export function listShareOfCredentials(db: Queryable, group: Group, most: number) {
  return db.any(sql.type(CredentialRow)`
    SELECT s.part AS kind, s.part_id AS id, s.calls
    FROM usage_share s WHERE ${sharesOf(group)} AND s.part NOT IN ('member', 'item')
    ORDER BY s.calls DESC, s.part_id LIMIT ${most}`);
}

const ItemRow = z.object({ id: z.string(), name: z.string(), calls: z.number() });

/** Counts this month's calls per item of a team, most calls first. */
export function listShareOfItems(db: Queryable, team: Group, most: number) {
  return db.any(sql.type(ItemRow)`
    SELECT s.part_id AS id, coalesce(s.name, s.part_id) AS name, s.calls
    FROM usage_share s WHERE ${sharesOf(team)} AND s.part = 'item'
    ORDER BY s.calls DESC, s.part_id LIMIT ${most}`);
}

const MonthRow = z.object({ used: z.number(), resets_at: z.string() });

/** Returns how many calls to a team's items count this month, and when the month ends. */
export function findTeamMonth(db: Queryable, team: Group) {
  return db.one(sql.type(MonthRow)`
    SELECT coalesce(sum(s.calls) FILTER (WHERE s.part = 'item'), 0) AS used,
      (${thisMonth} + interval '1 month') AT TIME ZONE 'UTC' AS resets_at
    FROM usage_share s WHERE ${sharesOf(team)}`);
}

const AddressRow = z.object({ id: z.string(), email: z.string().nullable() });

/** Returns the addresses of those accounts that are or were members, as the organization may know them. */
export async function listAddresses(
  db: Queryable,
  organization_id: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await db.any(sql.type(AddressRow)`
    SELECT a.id, ${knownAddress} AS email FROM membership m JOIN account a ON a.id = m.account_id
    WHERE m.organization_id = ${organization_id} AND a.id = ANY(${sql.array([...ids], 'uuid')})`);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

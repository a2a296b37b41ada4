import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { CredentialTable, Service, ServiceSeat } from './kinds.ts';

const IdRow = z.object({ id: z.string() });
const ServiceRow = z.object({ id: z.string(), organization_id: z.string() });

/** Selects columns of the services of a kind, revoked or not. */
const servicesOf = ({ table }: CredentialTable, columns = sql.fragment`id`) => sql.fragment`
  SELECT ${columns} FROM ${sql.identifier([table])} WHERE account_id IS NULL`;
const namedServicesOf = (kind: CredentialTable) =>
  servicesOf(kind, sql.fragment`id, organization_id`);

/** Returns the given services that exist, including revoked ones. */
export function findServices(db: Queryable, kind: CredentialTable, services: readonly Service[]) {
  const pairs = services.map(({ organization_id, id }) => [organization_id, id]);
  return db.any(sql.type(ServiceRow)`
    ${namedServicesOf(kind)} AND (organization_id, id) IN (
      SELECT * FROM ${sql.unnest(pairs, ['uuid', 'uuid'])})`);
}

/** Returns the service with this id, revoked or not; an empty list if there is none. */
export function findServiceById(db: Queryable, kind: CredentialTable, id: string) {
  return db.any(sql.type(ServiceRow)`${namedServicesOf(kind)} AND id = ${id}`);
}

/** Returns up to `limit` services of an organization, including revoked ones. */
export function listServices(
  db: Queryable,
  kind: CredentialTable,
  { organization_id, limit }: { organization_id: string; limit: number },
) {
  return db.anyFirst(sql.type(IdRow)`
    ${servicesOf(kind)} AND organization_id = ${organization_id} ORDER BY id LIMIT ${limit}`);
}

/** Returns the live services of an organization that follow all its teams. */
export function listFollowers(db: Queryable, kind: CredentialTable, organization_id: string) {
  return db.anyFirst(sql.type(IdRow)`
    ${servicesOf(kind)} AND organization_id = ${organization_id} AND revoked_at IS NULL
      AND follows_teams
    ORDER BY id`);
}

const ScopeRow = z.object({
  kind: z.literal('service'),
  id: z.string(),
  revision: z.number(),
  applied: z.number(),
  nonce: z.string(),
  content: z.number(),
});

/** Returns the scope of a service, for changes authorized on the service as it was read. */
export function findServiceScope(db: Queryable, id: string) {
  return db.maybeOne(sql.type(ScopeRow)`
    SELECT kind, id, revision, applied, nonce, content FROM authz_scope
    WHERE kind = 'service' AND id = ${id}`);
}

const SeatRow = z.object({
  team_id: z.string(),
  service_id: z.string(),
  organization_id: z.string(),
});

/** The seats of live services `c`: in the teams `t` that they are bound to, or in all teams. */
const seatsOf = ({ table, bindings, reference }: CredentialTable) => sql.fragment`
  SELECT t.id AS team_id, c.id AS service_id, c.organization_id
  FROM ${sql.identifier([table])} c
  JOIN team t ON t.organization_id = c.organization_id AND t.deleted_at IS NULL
  LEFT JOIN ${sql.identifier([bindings])} b
    ON b.${sql.identifier([reference])} = c.id AND b.team_id = t.id
  WHERE c.account_id IS NULL AND c.revoked_at IS NULL
    AND (c.follows_teams OR b.team_id IS NOT NULL)`;

/** Returns the seats of these services. */
export function listServiceSeats(db: Queryable, kind: CredentialTable, ids: readonly string[]) {
  return db.any(sql.type(SeatRow)`
    ${seatsOf(kind)} AND c.id = ANY(${sql.array([...ids], 'uuid')}) ORDER BY c.id, t.id`);
}

/** Returns the services that have a seat in a team. */
export async function listServicesIn(
  db: Queryable,
  kind: CredentialTable,
  team_id: string,
): Promise<string[]> {
  const rows = await db.any(sql.type(SeatRow)`
    ${seatsOf(kind)} AND t.id = ${team_id} ORDER BY c.id`);
  return rows.map(({ service_id }) => service_id);
}

/** Returns the given seats that exist. */
export function findServiceSeats(
  db: Queryable,
  kind: CredentialTable,
  seats: readonly Pick<ServiceSeat, 'team_id' | 'service_id'>[],
) {
  const pairs = seats.map(({ team_id, service_id }) => [team_id, service_id]);
  return db.any(sql.type(SeatRow)`
    ${seatsOf(kind)} AND (t.id, c.id) IN (SELECT * FROM ${sql.unnest(pairs, ['uuid', 'uuid'])})`);
}

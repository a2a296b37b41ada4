import { knownAddress } from '../../caller/membership.ts';
import { positioned, sortedPage } from '../../platform/postgres/sorted-rows.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { z } from 'zod';
import { iteratePages } from '../../platform/http/pages.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { clientTypes, grantTypes } from './schema.ts';
import type { ClientDraft, ClientEdit } from './schema.ts';

/** The person or the organization that a client belongs to. */
export interface ClientOwner {
  kind: 'account' | 'organization';
  id: string;
}

/** Identifies a client and its owner. */
export interface ClientId {
  id: string;
  owner: ClientOwner;
}

const ClientRow = z.object({
  /** The `client_id`. */
  id: z.string(),
  account_id: z.string().nullable(),
  organization_id: z.string().nullable(),
  /** The service itself owns built-in clients: their id is this one. */
  owner: z.object({
    kind: z.enum(['account', 'organization', 'service']),
    id: z.string(),
    /** Null for a person who gave none, and for the service. */
    name: z.string().nullable(),
    /** The verified address of a person; null for any other owner. */
    email: z.string().nullable(),
    /** False for a deactivated account and a suspended organization. */
    is_active: z.boolean(),
  }),
  name: z.string(),
  type: z.enum(clientTypes),
  grant_types: z.array(z.enum(grantTypes)),
  redirect_uris: z.array(z.string()),
  /** Exact names, with the views they imply: a ceiling of every connection. */
  allowed_scopes: z.array(z.string()),
  /** Whether authorization requires PKCE; always, for a public client. */
  require_pkce: z.boolean(),
  follows_teams: z.boolean(),
  /** Sorted by id; null if it follows teams or belongs to a person. */
  team_ids: z.array(z.string()).nullable(),
  /**
   * Whether its connections have the authority that it was registered with, and not that of a
   * person at the time of use (SC4).
   */
  has_own_authority: z.boolean(),
  created_by: z.object({ account_id: z.string(), email: z.string().nullable() }).nullable(),
  created_at: z.string(),
  disabled_at: z.string().nullable(),
});
/** An OAuth client, enabled or disabled. */
export type OAuthClient = z.infer<typeof ClientRow>;

const boundTeams = sql.fragment`ARRAY(
  SELECT b.team_id FROM oauth_client_team b JOIN team t ON t.id = b.team_id AND t.deleted_at IS NULL
  WHERE b.client_id = c.id ORDER BY b.team_id)`;

/**
 * The clients that exist, each with its owner and another column; those of a deleted organization do
 * not exist.
 */
const clientsWith = (column: ReturnType<typeof sql.fragment>) => sql.fragment`
  SELECT ${column}, c.id, c.account_id, c.organization_id,
    json_build_object(
      'kind', CASE WHEN c.built_in IS NOT NULL THEN 'service'
        WHEN o.id IS NULL THEN 'account' ELSE 'organization' END,
      'id', coalesce(o.id, a.id, c.id),
      'name', coalesce(o.name, nullif(concat_ws(' ', a.first_name, a.last_name), '')),
      'email', CASE WHEN a.verified_at IS NOT NULL THEN a.email END,
      'is_active', coalesce(o.status, a.status, 'active') = 'active') AS owner,
    c.name, c.type, c.grant_types, c.redirect_uris, c.allowed_scopes,
    c.require_pkce, c.follows_teams,
    CASE WHEN o.id IS NOT NULL AND NOT c.follows_teams THEN ${boundTeams} END AS team_ids,
    'client_credentials' = ANY(c.grant_types) AS has_own_authority,
    (SELECT json_build_object('account_id', a.id,
        'email', CASE WHEN a.id = c.account_id THEN a.email ELSE ${knownAddress} END)
      FROM account a
      LEFT JOIN membership m ON m.account_id = a.id AND m.organization_id = c.organization_id
      WHERE a.id = c.created_by) AS created_by,
    c.created_at, c.disabled_at
  FROM oauth_client c
  LEFT JOIN account a ON a.id = c.account_id
  LEFT JOIN organization o ON o.id = c.organization_id AND o.deleted_at IS NULL
  WHERE (a.id IS NOT NULL OR o.id IS NOT NULL OR c.built_in IS NOT NULL)`;
const clients = clientsWith(sql.fragment`c.id`);

const ownedBy = ({ kind, id }: ClientOwner) =>
  kind === 'account' ? sql.fragment`c.account_id = ${id}` : sql.fragment`c.organization_id = ${id}`;

/** Returns a client of any owner. */
export function findClientById(db: Queryable, id: string): Promise<OAuthClient | null> {
  return db.maybeOne(sql.type(ClientRow)`${clients} AND c.id = ${id}`);
}

/** Returns a client of this owner. */
export function findClient(db: Queryable, { id, owner }: ClientId): Promise<OAuthClient | null> {
  return db.maybeOne(sql.type(ClientRow)`${clients} AND c.id = ${id} AND ${ownedBy(owner)}`);
}

/** Locks a client against concurrent edits and new connections, and returns it. */
export async function lockClient(
  transaction: Transaction,
  client: ClientId,
): Promise<OAuthClient | null> {
  await transaction.maybeOne(sql.type(IdRow)`
    SELECT id FROM oauth_client WHERE id = ${client.id} FOR NO KEY UPDATE`);
  return findClient(transaction, client);
}

const IdRow = z.object({ id: z.string() });

const clientOrder = { id: sql.fragment`c.id`, name: sql.fragment`c.name` };

/** Returns a page of clients for `toRowsPage`. */
export function listClients(db: Queryable, owner: ClientOwner, query: ListQuery) {
  const { position, conditions, order } = sortedPage(clientOrder, query);
  return db.any(sql.type(positioned(ClientRow))`
    ${clientsWith(position)} AND ${ownedBy(owner)} ${conditions} ${order}`);
}

// Page size; a client can have dozens of kilobytes of redirect URIs.
const EXPORT_PAGE_SIZE = 50;

const ExportedRow = ClientRow.omit({
  ...{ account_id: true, organization_id: true, owner: true, follows_teams: true },
  ...{ team_ids: true, has_own_authority: true, created_by: true },
});

/** Yields a person's clients, newest first, without secrets. */
export const exportClients = (db: Queryable, account_id: string, max: number) =>
  iteratePages<z.infer<typeof ExportedRow>>(
    async ({ limit, after }) => {
      return db.any(sql.type(ExportedRow)`
        ${clients} AND c.account_id = ${account_id}
          AND (${after?.id ?? null}::uuid IS NULL OR c.id < ${after?.id ?? null}::uuid)
        ORDER BY c.id DESC LIMIT ${limit}`);
    },
    { rows: EXPORT_PAGE_SIZE, max },
  );

export function countClients(db: Queryable, owner: ClientOwner): Promise<number> {
  return db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM oauth_client c WHERE ${ownedBy(owner)}`);
}

const TeamRow = z.object({ client_id: z.string(), team_id: z.string(), name: z.string() });

/** Returns the teams that these clients are bound to, by name. */
export function listTeams(db: Queryable, ids: readonly string[]) {
  return db.any(sql.type(TeamRow)`
    SELECT b.client_id, b.team_id, t.name
    FROM oauth_client_team b
    JOIN oauth_client c ON c.id = b.client_id AND NOT c.follows_teams
    JOIN team t ON t.id = b.team_id AND t.deleted_at IS NULL
    WHERE b.client_id = ANY(${sql.array([...ids], 'uuid')})
    ORDER BY b.client_id, t.name`);
}

/** Connections that can be used: not revoked, and not those whose first token is still to come. */
const live = sql.fragment`revoked_at IS NULL AND (kind = 'machine' OR activated_at IS NOT NULL)`;

/** Returns how many live connections these clients have; a client without any is left out. */
export function countConnections(db: Queryable, ids: readonly string[]) {
  return db.any(sql.type(z.object({ client_id: z.string(), count: z.number() }))`
    SELECT client_id, count(*) FROM oauth_connection
    WHERE client_id = ANY(${sql.array([...ids], 'uuid')}) AND ${live}
    GROUP BY client_id`);
}

/** Returns up to `limit` connections of a client that are not revoked. */
export function listConnections(db: Queryable, client_id: string, limit: number) {
  return db.anyFirst(sql.type(IdRow)`
    SELECT id FROM oauth_connection WHERE client_id = ${client_id} AND revoked_at IS NULL
    ORDER BY id LIMIT ${limit}`);
}

export async function insertClient(
  transaction: Transaction,
  { id, owner, draft, created_by }: ClientId & { draft: ClientDraft; created_by: string },
): Promise<void> {
  const isOfOrganization = owner.kind === 'organization';
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO oauth_client (id, account_id, organization_id, name, type, grant_types,
      redirect_uris, allowed_scopes, require_pkce, follows_teams, created_by)
    VALUES (${id}, ${isOfOrganization ? null : owner.id}, ${isOfOrganization ? owner.id : null},
      ${draft.name}, ${draft.type}, ${sql.array(draft.grant_types, 'text')},
      ${sql.array(draft.redirect_uris, 'text')}, ${sql.array(draft.allowed_scopes, 'text')},
      ${draft.require_pkce}, ${isOfOrganization && draft.team_ids === null}, ${created_by})`);
}

/** Updates the given fields, except the teams of `team_ids`. */
export async function updateClient(
  transaction: Transaction,
  id: string,
  edit: ClientEdit,
): Promise<void> {
  const changes = [
    edit.name !== undefined && sql.fragment`name = ${edit.name}`,
    edit.grant_types && sql.fragment`grant_types = ${sql.array(edit.grant_types, 'text')}`,
    edit.redirect_uris && sql.fragment`redirect_uris = ${sql.array(edit.redirect_uris, 'text')}`,
    edit.allowed_scopes && sql.fragment`allowed_scopes = ${sql.array(edit.allowed_scopes, 'text')}`,
    edit.require_pkce !== undefined && sql.fragment`require_pkce = ${edit.require_pkce}`,
    edit.team_ids !== undefined && sql.fragment`follows_teams = ${edit.team_ids === null}`,
    edit.disabled !== undefined &&
      (edit.disabled ? sql.fragment`disabled_at = now()` : sql.fragment`disabled_at = NULL`),
  ].filter((change) => typeof change === 'object');
  if (changes.length === 0) return;
  await transaction.query(sql.typeAlias('void')`
    UPDATE oauth_client SET ${sql.join(changes, sql.fragment`, `)}
    WHERE id = ${id}`);
}

/** Binds a client to exactly these teams of its organization; with null, to none. */
export async function replaceTeams(
  transaction: Transaction,
  client: { id: string; organization_id: string },
  team_ids: readonly string[] | null,
): Promise<void> {
  // Bindings to deleted teams are removed together with the teams.
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM oauth_client_team WHERE client_id = ${client.id}
      AND team_id IN (SELECT id FROM team WHERE deleted_at IS NULL)`);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO oauth_client_team (client_id, organization_id, team_id)
    SELECT ${client.id}, ${client.organization_id}, team_id
    FROM unnest(${sql.array([...(team_ids ?? [])], 'uuid')}) AS team_id`);
}

/** Deletes a client; its connections remain without one, and are refused from now on. */
export async function deleteClient(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`DELETE FROM oauth_client WHERE id = ${id}`);
}

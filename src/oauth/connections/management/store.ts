import { isMember, knownAddress } from '../../../caller/membership.ts';
import { StoredRestrictions } from '../../../caller/restrictions/schema.ts';
import { ToolListing } from '../../../caller/schema.ts';
import { managesEveryTeamSql } from '../../../organizations/organizations.ts';
import { positioned, sortedPage } from '../../../platform/postgres/sorted-rows.ts';
import type { ListQuery } from '../../../platform/http/list-query.ts';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { iteratePages } from '../../../platform/http/pages.ts';
import { connectionColumns, ConnectionRow } from '../store.ts';

/** The person who authorized connections, or the organization in which they work. */
export interface ConnectionOwner {
  kind: 'account' | 'organization';
  id: string;
}

const Named = z.object({ id: z.string(), name: z.string() });

const ListedRow = ConnectionRow.extend({
  client_id: z.string(),
  client_name: z.string(),
  email: z.string().nullable(),
  organization: Named.extend({ name: z.string().nullable() }).nullable(),
  /** What its client may have now. */
  ceiling: z.array(z.string()),
  /** The visible teams to which it and its client are bound; empty if both follow teams. */
  teams: z.array(Named),
  follows: z.boolean(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
export type ListedRow = z.infer<typeof ListedRow>;

/**
 * Names that each reader may see: an organization knows its own; people learn those of an
 * organization that they are in, and of teams that they have access to.
 */
const shownTo = {
  account: {
    ...{ email: sql.fragment`a.email`, isNamed: isMember },
    isTeamShown: sql.fragment`(EXISTS (SELECT FROM team_member s
      WHERE s.team_id = t.id AND s.membership_id = m.id) OR ${managesEveryTeamSql})`,
  },
  organization: {
    ...{ email: knownAddress, isNamed: sql.fragment`true`, isTeamShown: sql.fragment`true` },
  },
};

/**
 * Live connections that have been used, with another column; the others are only about to be
 * authorized.
 */
const listedWith = (
  column: ReturnType<typeof sql.fragment>,
  { email, isNamed, isTeamShown }: (typeof shownTo)[ConnectionOwner['kind']],
) => sql.fragment`
  SELECT ${column}, ${connectionColumns},
    o.name AS client_name, o.allowed_scopes AS ceiling, ${email} AS email,
    CASE WHEN g.id IS NOT NULL
      THEN json_build_object('id', g.id, 'name', CASE WHEN ${isNamed} THEN g.name END) END
      AS organization,
    c.follows_teams AND o.follows_teams AS follows,
    (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY t.name), '[]')
      FROM team t WHERE t.organization_id = c.organization_id AND t.deleted_at IS NULL
        AND NOT (c.follows_teams AND o.follows_teams)
        AND (c.follows_teams OR EXISTS (SELECT FROM oauth_connection_team b
          WHERE b.connection_id = c.id AND b.team_id = t.id))
        AND (o.follows_teams OR EXISTS (SELECT FROM oauth_client_team b
          WHERE b.client_id = o.id AND b.team_id = t.id))
        AND ${isTeamShown}) AS teams,
    c.created_at, c.last_used_at
  FROM oauth_connection c
  JOIN oauth_client o ON o.id = c.client_id AND o.disabled_at IS NULL
  LEFT JOIN account a ON a.id = c.account_id
  LEFT JOIN organization g ON g.id = c.organization_id AND g.deleted_at IS NULL
  LEFT JOIN membership m ON m.organization_id = c.organization_id AND m.account_id = c.account_id
  WHERE c.revoked_at IS NULL AND c.activated_at IS NOT NULL
    AND (c.organization_id IS NULL OR g.id IS NOT NULL)`;
const listedFor = (viewer: ConnectionOwner['kind']) =>
  listedWith(sql.fragment`c.id`, shownTo[viewer]);

const ownedBy = ({ kind, id }: ConnectionOwner) =>
  kind === 'account' ? sql.fragment`c.account_id = ${id}` : sql.fragment`c.organization_id = ${id}`;

const connectionOrder = {
  id: sql.fragment`c.id`,
  ...{ last_used_at: sql.fragment`c.last_used_at`, created_at: sql.fragment`c.created_at` },
};

/** Returns a page of connections for `toRowsPage`. */
export function listConnections(db: Queryable, owner: ConnectionOwner, query: ListQuery) {
  const { position, conditions, order } = sortedPage(connectionOrder, query);
  return db.any(sql.type(positioned(ListedRow))`
    ${listedWith(position, shownTo[owner.kind])} AND ${ownedBy(owner)} ${conditions} ${order}`);
}

/** Returns a member's connections in an organization older than `cursor`, newest first. */
export function listMemberConnections(
  db: Queryable,
  { organization_id, account_id }: { organization_id: string; account_id: string },
  page: { limit: number; cursor: string | null },
) {
  return db.any(sql.type(ListedRow)`
    ${listedFor('organization')}
      AND c.account_id = ${account_id} AND c.organization_id = ${organization_id}
      AND (${page.cursor}::uuid IS NULL OR c.id < ${page.cursor}::uuid)
    ORDER BY c.id DESC LIMIT ${page.limit}`);
}

/** Returns a connection of this owner; null if it has none with this id. */
export function findConnection(
  db: Queryable,
  { id, owner }: { id: string; owner: ConnectionOwner },
) {
  return db.maybeOne(sql.type(ListedRow)`
    ${listedFor(owner.kind)} AND ${ownedBy(owner)} AND c.id = ${id}`);
}

/** Returns the live machine connections of these clients. */
export function listMachinesOf(db: Queryable, client_ids: readonly string[]) {
  return db.any(sql.type(ListedRow)`
    ${listedFor('organization')} AND c.kind = 'machine'
      AND c.client_id = ANY(${sql.array([...client_ids], 'uuid')})`);
}

const ExportedRow = z.object({
  id: z.string(),
  client_id: z.string().nullable(),
  client_name: z.string().nullable(),
  organization_id: z.string().nullable(),
  scopes: z.array(z.string()),
  tool_listing: ToolListing,
  ...StoredRestrictions.shape,
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});

const EXPORT_PAGE_SIZE = 100;

/** Yields what a person authorized, including revoked connections, newest first. */
export const exportConnections = (db: Queryable, account_id: string, max: number) =>
  iteratePages<z.infer<typeof ExportedRow>>(
    ({ limit, after }) =>
      db.any(sql.type(ExportedRow)`
        SELECT c.id, c.client_id, o.name AS client_name, c.organization_id, c.scopes, c.tool_listing,
          c.allowed_addresses, c.hours, c.created_at, c.last_used_at, c.revoked_at
        FROM oauth_connection c LEFT JOIN oauth_client o ON o.id = c.client_id
        WHERE c.account_id = ${account_id}
          AND (${after?.id ?? null}::uuid IS NULL OR c.id < ${after?.id ?? null}::uuid)
        ORDER BY c.id DESC LIMIT ${limit}`),
    { rows: EXPORT_PAGE_SIZE, max },
  );

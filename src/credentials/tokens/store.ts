import type { ConnectionPrincipal, MachinePrincipal, TokenGrant } from '../../caller/principal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import {
  accountAdmits,
  accountColumns,
  membershipOf,
  membershipWithDeletedSeats,
  principalOf,
  restrictionColumns,
  serviceColumns,
} from '../principal.ts';
import type { PrincipalRow } from '../principal.ts';
import type { Credential } from '../credential.ts';
import { byKey, rowOf } from '../found-row.ts';
import type { FoundRow } from '../found-row.ts';
import { createKnownRows } from '../known-rows.ts';
import type { CredentialState } from '../store.ts';
import { createScopeSets } from './scopes.ts';
import type { ScopeSets } from './scopes.ts';

/** A connection to read; with the claims of a token, as that token may use it. */
export interface ConnectionQuery {
  connection_id: string;
  /** The organization that a REST request names. */
  organization_id: string | null;
  token: TokenGrant['token'];
}

/** Returns the query as a text from which `queryOf` returns it: no field can pass for another. */
export const connectionKey = ({ connection_id, organization_id, token }: ConnectionQuery): string =>
  JSON.stringify([connection_id, organization_id, ...(token ? [token.expires, token.scope] : [])]);

export function queryOf(key: string): ConnectionQuery {
  const [connection_id, organization_id, ...token] = JSON.parse(key) as Key;
  const [expires, scope] = token;
  return {
    connection_id,
    organization_id,
    token: expires === undefined || scope === undefined ? null : { expires, scope },
  };
}

type Key = [
  connection_id: string,
  organization_id: string | null,
  ...token: [] | [expires: number, scope: string],
];

interface ReadRow {
  client_id: string | null;
  has_own_authority: boolean;
  /** Names of the connection, and those that its client may have now; separated by spaces. */
  granted: string;
  ceiling: string | null;
  usable: boolean;
  membership_with_deleted_seats: string | null;
  has_teams_beyond_client: boolean;
  used_recently: boolean;
}
type Derived = 'oauth' | 'tool_policy' | 'resource_policy' | 'prompt_policy' | 'agent_policy';

interface DelegatedRow extends ReadRow, Omit<PrincipalRow<ConnectionPrincipal>, Derived> {
  /** The organization that it works in; null for its person's account. */
  home: string | null;
}
interface MachineRow extends ReadRow, Omit<PrincipalRow<MachinePrincipal>, Derived> {
  home: string;
}

// The teams of the connection that its client is bound to, too; null if both follow.
const teams = `CASE WHEN k.organization_id IS NOT NULL
  AND NOT (k.follows_teams AND coalesce(o.follows_teams, true)) THEN ARRAY(
    SELECT t.id FROM (
      SELECT team_id FROM oauth_connection_team WHERE connection_id = k.id
      UNION ALL
      SELECT team_id FROM oauth_client_team WHERE k.follows_teams AND client_id = o.id
    ) b JOIN team t ON t.id = b.team_id AND t.deleted_at IS NULL
    WHERE k.follows_teams OR coalesce(o.follows_teams, true) OR EXISTS (
      SELECT FROM oauth_client_team x WHERE x.client_id = o.id AND x.team_id = t.id)
    ORDER BY t.id) END AS team_ids`;

// The rule by which `oauth/connections/narrowing` finds connections. A machine connection always has
// its client's teams: they change together.
const beyondClient = `k.organization_id IS NOT NULL AND NOT coalesce(o.follows_teams, true)
  AND (k.follows_teams OR EXISTS (
    SELECT FROM oauth_connection_team b WHERE b.connection_id = k.id AND NOT EXISTS (
      SELECT FROM oauth_client_team x WHERE x.client_id = o.id AND x.team_id = b.team_id)))`;

const sharedColumns = `k.id, k.organization_id AS home, k.client_id, k.has_own_authority,
  array_to_string(k.scopes, ' ') AS granted, array_to_string(o.allowed_scopes, ' ') AS ceiling,
  k.default_agent_id, k.tool_listing, ${restrictionColumns},
  coalesce(k.last_used_at > now() - interval '1 minute', false) AS used_recently`;

const requested = `unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS requested (id, expires, n)`;
const isLive = `k.revoked_at IS NULL
  AND (requested.expires IS NULL OR to_timestamp(requested.expires) > now())`;

// A connection of a built-in client ends with the session in which it was authorized.
const isInSession = `(k.session_id IS NULL OR EXISTS (
  SELECT FROM account_session w
  WHERE w.id = k.session_id AND w.revoked_at IS NULL AND w.expires_at > now()))`;

// A client that has lost its own authority has no connections with it (SC4).
const isEnabled = `o.disabled_at IS NULL
  AND (NOT k.has_own_authority OR 'client_credentials' = ANY(o.grant_types))`;

// A connection in a deleted organization counts as usable: its requests get the 404 of an absent
// organization, not the 401 of a revoked credential (A6).
const connectionsQuery = `
  SELECT requested.n, ${rowOf(`'connection' AS kind, ${sharedColumns}, ${accountColumns}, ${teams},
      CASE WHEN k.organization_id IS NOT NULL THEN ${membershipOf('k.organization_id')} END
        AS membership,
      k.organization_id IS NULL AND coalesce(settings.audit_arguments, false) AS audit_arguments,
      ${isLive} AND ${accountAdmits} AND ${isInSession} AND CASE WHEN o.id IS NULL
        THEN k.organization_id IS NOT NULL AND NOT EXISTS (
          SELECT FROM organization g WHERE g.id = k.organization_id AND g.deleted_at IS NULL)
        ELSE ${isEnabled} AND (o.account_id IS NULL OR o.account_id = a.id OR EXISTS (
          SELECT FROM account owner WHERE owner.id = o.account_id AND owner.status = 'active'))
        END AS usable,
      ${membershipWithDeletedSeats('k.organization_id')},
      ${beyondClient} AS has_teams_beyond_client`)}
  FROM ${requested}
  JOIN oauth_connection k ON k.id = requested.id
  JOIN account a ON a.id = k.account_id
  JOIN authz_scope s ON s.kind = 'account' AND s.id = a.id
  LEFT JOIN oauth_client o ON o.id = k.client_id
  LEFT JOIN account_settings settings ON settings.account_id = a.id
  UNION ALL
  SELECT requested.n, ${rowOf(`'machine' AS kind, ${sharedColumns}, ${serviceColumns}, ${teams},
      false AS audit_arguments, ${isLive} AND ${isEnabled} AS usable,
      NULL AS membership_with_deleted_seats, false AS has_teams_beyond_client`)}
  FROM ${requested}
  JOIN oauth_connection k ON k.id = requested.id AND k.account_id IS NULL
  JOIN oauth_client o ON o.id = k.client_id
  JOIN organization g ON g.id = k.organization_id AND g.deleted_at IS NULL
  JOIN authz_scope s ON s.kind = 'service' AND s.id = k.id
  JOIN authz_scope whole ON whole.kind = 'organization' AND whole.id = g.id`;

/** Creates the reader of connections: one prepared statement for a batch of `connectionKey`s. */
export function createConnectionReader(hot: Database['authPool']) {
  const scopesOf = createScopeSets();
  const credentialIn = createKnownRows((key, row) =>
    credentialOf(JSON.parse(row) as DelegatedRow | MachineRow, queryOf(key), scopesOf),
  );
  return async function readConnections(
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, Credential>> {
    const queries = keys.map(queryOf);
    const { rows } = await hot.query<FoundRow>({
      name: 'connections',
      text: connectionsQuery,
      values: [
        queries.map(({ connection_id }) => connection_id),
        queries.map(({ token }) => token?.expires ?? null),
      ],
    });
    return byKey(keys, rows, credentialIn);
  };
}

const credentialOf = (
  row: DelegatedRow | MachineRow,
  query: ConnectionQuery,
  scopesOf: ScopeSets,
): Credential => {
  const {
    client_id,
    has_own_authority,
    granted,
    ceiling,
    usable,
    used_recently,
    membership_with_deleted_seats,
    has_teams_beyond_client,
  } = row;
  const token = query.token;
  const texts = { token: token?.scope ?? null, connection: granted, ceiling };
  const oauth = {
    ...{ client_id, has_own_authority, token },
    organization_id: row.home,
    scopes: scopesOf(texts),
  };
  const fields = { ...OPEN, oauth };
  const state = {
    usable,
    used_recently,
    membership_with_deleted_seats,
    has_teams_beyond_client,
  };
  return row.kind === 'machine'
    ? { ...machineOf(row, fields, query), ...state }
    : { ...delegatedOf(row, fields, query), ...state };
};

const ALL = { mode: 'all' } as const;
/** Item policies are for personal keys alone (K1). */
const OPEN = { tool_policy: ALL, resource_policy: ALL, prompt_policy: ALL, agent_policy: ALL };
type Fields = typeof OPEN & { oauth: TokenGrant };
type Principals = Pick<Credential, 'principal' | 'restPrincipal'>;

/** Returns the principals of a connection that acts for a person. */
function delegatedOf(
  row: DelegatedRow,
  fields: Fields,
  { organization_id: named }: ConnectionQuery,
): Principals {
  const { kind, id, home, person, context, quota_owner, scopes, membership = null } = row;
  const { team_ids, default_agent_id, tool_listing, audit_arguments, restrictions } = row;
  const credential = { kind, id };
  const own = { default_agent_id, tool_listing, audit_arguments, restrictions };
  const shared = { ...fields, person, scopes, team_ids, ...own };
  return {
    principal: principalOf(credential, {
      ...{ ...shared, membership },
      ...(home === null
        ? { context, quota_owner }
        : {
            context: `membership:${home}.${person}` as const,
            quota_owner: {
              ...{ kind: 'organization' as const, id: home },
              // A principal without a membership is refused before anything is counted.
              plan: membership?.plan ?? ('free' as const),
            },
          }),
    }),
    restPrincipal: () =>
      principalOf(credential, {
        ...{ ...shared, context, quota_owner },
        membership: named !== null && named === home ? membership : null,
      }),
  };
}

/** Returns the principals of a connection that acts for its organization. */
function machineOf(
  row: MachineRow,
  fields: Fields,
  { organization_id: named }: ConnectionQuery,
): Principals {
  const { kind, id, home, person, context, quota_owner, scopes, membership = null } = row;
  const { team_ids, default_agent_id, tool_listing, audit_arguments, restrictions } = row;
  const principal = principalOf(
    { kind, id },
    {
      ...{ ...fields, person, context, quota_owner, scopes, membership },
      ...{ team_ids, default_agent_id, tool_listing, audit_arguments, restrictions },
    },
  );
  const isElsewhere = named !== null && named !== home;
  return {
    principal,
    restPrincipal: () => (isElsewhere ? { ...principal, organization: null } : principal),
  };
}

/** Returns the state of a connection behind `usable`; null if it never existed. */
export async function readConnectionState(
  hot: Database['authPool'],
  id: string,
): Promise<CredentialState | null> {
  const { rows } = await hot.query<CredentialState>({
    name: 'connection-state',
    text: `SELECT a.status AS account, k.revoked_at, NULL AS expires_at,
        o.id IS NOT NULL AND o.disabled_at IS NULL AS client_enabled
      FROM oauth_connection k
      LEFT JOIN account a ON a.id = k.account_id
      LEFT JOIN oauth_client o ON o.id = k.client_id
      WHERE k.id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}

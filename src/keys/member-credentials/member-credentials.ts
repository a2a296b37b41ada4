import type { Authz } from '../../authz/authz.ts';
import { organizationPermissionByGrant } from '../../authz/permissions.ts';
import { contextIn } from '../../caller/access.ts';
import { authorityOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import { permissionDenied } from '../../caller/refusals.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { grantFor } from '../../organizations/organizations.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { toPage } from '../../platform/http/pages.ts';
import type { Page, PageQuery } from '../../platform/http/pages.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import { listTeamsOf } from '../bindings/store.ts';
import { findKey } from '../store.ts';
import type { KeyRow } from '../store.ts';
import { createCut, reaches } from './cut.ts';
import type {
  MemberCredential,
  MemberCredentialParams,
  MemberCredentialsParams,
} from './schema.ts';
import { isMember, listReachingKeys } from './store.ts';
import type { Member } from './store.ts';

type MemberConnection = Omit<
  MemberCredential,
  'kind' | 'secret_prefix' | 'runs_here' | 'expires_at'
>;

/** The OAuth connections that members authorized in an organization. */
export interface MemberConnections {
  /** Returns a member's connections older than `cursor`, newest first. */
  list(
    member: Member,
    page: { limit: number; cursor: string | null },
  ): Promise<readonly MemberConnection[]>;
  /** Throws 404 unless the member authorized this connection in the organization. */
  require(member: Member, id: string): Promise<unknown>;
  revoke(
    caller: SessionPrincipal,
    organization_id: string,
    id: string,
    request: RequestFacts,
  ): Promise<void>;
}

export interface MemberCredentialsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'check' | 'change'>;
  memberConnections(): MemberConnections;
}

const VIEW_MEMBERS = 'can_view_organization_members';
const VIEW_CLIENTS = 'can_view_organization_oauth_clients';
const DELETE_CLIENTS = 'can_delete_organization_oauth_clients';

/**
 * Creates the operations on members' own credentials as far as they reach into an organization: it
 * sees what they have there, and may take it away (docs/decisions/0045).
 */
export function createMemberCredentials({
  database,
  authz,
  memberConnections,
}: MemberCredentialsDependencies) {
  const { pool } = database;
  const cut = createCut({ database, authz });

  async function holds(
    caller: SessionPrincipal,
    { organization_id }: Member,
    permission: string,
  ): Promise<boolean> {
    const object = contextIn('organization', caller, { organization_id });
    if (object === null) throw absent('the request is in no organization');
    const relation = `can_${organizationPermissionByGrant(permission)!.relation}`;
    return (await authz.check(caller, [relation], object)).get(relation) === true;
  }
  async function requirePermission(caller: SessionPrincipal, member: Member, permission: string) {
    if (!(await holds(caller, member, permission))) throw permissionDenied(permission);
  }

  /** Throws 404 unless the person is a member of the organization. */
  async function requireMember(member: Member): Promise<void> {
    if (!(await isMember(pool, member))) throw absent();
  }

  return {
    requireMember,
    /** Throws 404 unless the member has this credential, and it reaches into the organization. */
    async require({ kind, id, ...member }: MemberCredentialParams): Promise<void> {
      await requireMember(member);
      if (kind === 'connection') return void (await memberConnections().require(member, id));
      const owner = { kind: 'account', id: member.account_id } as const;
      const key = await findKey(pool, { id, owner });
      if (key === null || !reaches(key, member.organization_id)) throw absent();
    },
    async list(
      caller: SessionPrincipal,
      member: MemberCredentialsParams,
      query: PageQuery,
    ): Promise<Page<MemberCredential>> {
      await requireMember(member);
      await requirePermission(caller, member, VIEW_MEMBERS);
      const page = { limit: query.limit + 1, cursor: query.cursor ?? null };
      const keys = await keysOf(pool, member, page);
      const connections = (await holds(caller, member, VIEW_CLIENTS))
        ? await memberConnections().list(member, page)
        : [];
      const all = [
        ...keys,
        ...connections.map((one): MemberCredential => ({
          ...{ ...one, kind: 'connection', secret_prefix: null, runs_here: true },
          expires_at: null,
        })),
      ];
      // Ids grow with time, for keys and connections alike.
      return toPage(
        all.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
        query,
      );
    },
    /** Takes from the credential what it has in the organization; a connection has nothing else. */
    async cut(
      caller: SessionPrincipal,
      { kind, id, ...member }: MemberCredentialParams,
      request: RequestFacts,
    ): Promise<void> {
      if (kind === 'api_key') return cut(id, member, authorityOf(caller, request));
      await requirePermission(caller, member, DELETE_CLIENTS);
      await memberConnections().revoke(caller, member.organization_id, id, request);
    },
  };
}
export type MemberCredentials = ReturnType<typeof createMemberCredentials>;

async function keysOf(
  db: Queryable,
  member: Member,
  page: { limit: number; cursor: string | null },
): Promise<MemberCredential[]> {
  const rows = await listReachingKeys(db, member, page);
  const running = rows.filter(({ org_scope }) => org_scope === member.organization_id);
  const ids = running.map(({ id }) => id);
  const teams = ids.length === 0 ? [] : await listTeamsOf(db, ids);
  const teamsByKey = Map.groupBy(teams, ({ key_id }) => key_id);
  return rows.map((row) => ({
    ...recordOf(row, member.organization_id),
    teams: (teamsByKey.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
  }));
}

/** Returns what a key has in the organization; its use elsewhere is the person's own. */
function recordOf(key: KeyRow, organization_id: string): Omit<MemberCredential, 'teams'> {
  const { id, name, secret_prefix, expires_at, created_at } = key;
  const runs_here = key.org_scope === organization_id;
  return {
    ...{ kind: 'api_key', id, name, secret_prefix, runs_here },
    follows_memberships: runs_here && key.follows_teams,
    mcp_capabilities: runs_here ? key.mcp_capabilities : [],
    permissions: grantFor(key.grants, organization_id)?.permissions ?? [],
    ...{ expires_at, created_at, last_used_at: runs_here ? key.last_used_at : null },
  };
}

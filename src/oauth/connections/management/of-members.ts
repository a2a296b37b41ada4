import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { absent } from '../../../platform/errors/refusal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ManagedConnections } from './management.ts';
import { capabilitiesOf, currentScopes } from './records.ts';
import { listMemberConnections } from './store.ts';
import type { ListedRow } from './store.ts';

interface Member {
  organization_id: string;
  account_id: string;
}

const organization = (id: string) => ({ kind: 'organization', id }) as const;

/** Creates the operations on the connections that members authorized in an organization. */
export function createMemberConnections(
  pool: Queryable,
  { require, revoke }: Pick<ManagedConnections, 'require' | 'revoke'>,
) {
  return {
    async list(member: Member, page: { limit: number; cursor: string | null }) {
      return (await listMemberConnections(pool, member, page)).map(recordOf);
    },
    /** Throws 404 unless the member authorized this connection in the organization. */
    async require({ organization_id, account_id }: Member, id: string): Promise<void> {
      const row = await require({ id, owner: organization(organization_id) });
      if (row.account_id !== account_id) throw absent('of another member, or a machine');
    },
    revoke: (
      caller: SessionPrincipal,
      organization_id: string,
      id: string,
      request: RequestFacts,
    ): Promise<void> => revoke(caller, { id, owner: organization(organization_id) }, request),
  };
}
export type MemberConnections = ReturnType<typeof createMemberConnections>;

function recordOf(row: ListedRow) {
  const { id, client_name: name, follows, teams, created_at, last_used_at } = row;
  const permissions = currentScopes(row);
  return {
    ...{ id, name, teams, permissions, created_at, last_used_at },
    follows_memberships: follows,
    mcp_capabilities: capabilitiesOf(permissions),
  };
}

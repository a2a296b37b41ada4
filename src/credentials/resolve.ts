import type { AgentPrincipal } from '../caller/principal.ts';
import { createBatchedRead } from '../platform/concurrency/grouped.ts';
import { invalidCredential, unavailable } from '../platform/errors/refusal.ts';
import type { Credential } from './credential.ts';

export interface ResolverDependencies {
  /** Reads the credentials of several keys in one query on the primary. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Credential>>;
  /** Ends a member's seats in deleted teams. */
  removeDeletedSeats(membership_id: string): Promise<void>;
  /** Takes from a connection the teams that its client has lost. */
  narrow(connection_id: string): Promise<void>;
  /** Called on use of a credential whose last recorded use is missing or a minute old. */
  onUse(id: string): void;
  /** Called when a credential that exists is refused over MCP, as one that was revoked is. */
  onRefused(principal: AgentPrincipal): void;
}

/** Returns the key of a query for a credential, for MCP or in the organization that REST names. */
type KeyIn = (organization_id: string | null) => string;

/**
 * Creates the functions that resolve credentials to their principals. A read always starts after
 * the call, so that no revocation is missed, and every invalid credential is rejected with the same
 * 401. Requests that find the same row share one principal object (`createKnownRows`), so that values
 * derived from it can also be shared. `isRightful` may refuse what was found.
 */
export function createResolver(dependencies: ResolverDependencies) {
  const { read, removeDeletedSeats, narrow, onUse, onRefused } = dependencies;
  const readGrouped = createBatchedRead({ read });

  async function find(
    key: string,
    isRightful: IsRightful,
    refused: (principal: AgentPrincipal) => void = () => {},
  ): Promise<Credential> {
    const found = await readGrouped(key);
    if (found === null) throw invalidCredential('unknown');
    const { usable, used_recently, principal } = found;
    if (!isRightful(principal)) throw invalidCredential('issued for another client or person');
    if (!usable) {
      refused(principal);
      throw invalidCredential('revoked, expired, or its account is deactivated');
    }
    if (!used_recently) onUse(principal.credential.id);
    return found;
  }

  return {
    /** Returns the principal for MCP requests. */
    async forMcp(keyIn: KeyIn, isRightful: IsRightful = always): Promise<AgentPrincipal> {
      const found = await find(keyIn(null), isRightful, onRefused);
      if (!hasLostTeams(found)) return found.principal;
      if (found.membership_with_deleted_seats !== null)
        await removeDeletedSeats(found.membership_with_deleted_seats);
      if (found.has_teams_beyond_client) await narrow(found.principal.credential.id);
      const reread = await find(keyIn(null), isRightful);
      if (hasLostTeams(reread)) throw unavailable('lost teams have not been removed yet');
      return reread.principal;
    },
    /** Returns the principal for REST requests. */
    forRest: async (
      keyIn: KeyIn,
      organization_id: string | null,
      isRightful: IsRightful = always,
    ): Promise<AgentPrincipal> => (await find(keyIn(organization_id), isRightful)).restPrincipal(),
  };
}

/** Whether teams that the credential has lost still give it capabilities in OpenFGA. */
const hasLostTeams = ({ membership_with_deleted_seats, has_teams_beyond_client }: Credential) =>
  membership_with_deleted_seats !== null || has_teams_beyond_client;

type IsRightful = (principal: AgentPrincipal) => boolean;
const always = () => true;

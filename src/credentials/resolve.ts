import type { AgentPrincipal } from '../caller/principal.ts';
import { restrictionAgainst } from '../caller/restrictions/restrictions.ts';
import { refusedUse } from '../caller/restrictions/refused-use.ts';
import type { RestrictionReason, Use } from '../caller/restrictions/restrictions.ts';
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
  /**
   * Called when a credential that exists is refused over MCP, as one that was revoked is; `reason`
   * says why one that works elsewhere, or at other times, was.
   */
  onRefused(principal: AgentPrincipal, reason?: RestrictionReason): void;
}

/** Returns the address that a request comes from. */
export type AddressOf = Use['address'];

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

  /** Returns a credential that may be used now, from this address, as the principal of the request. */
  async function find(
    key: string,
    { principalOf, isRightful = always, address }: Finding,
    refused: ResolverDependencies['onRefused'] = () => {},
  ): Promise<Found> {
    const found = await readGrouped(key);
    if (found === null) throw invalidCredential('unknown');
    const { usable, used_recently, principal } = found;
    if (!isRightful(principal)) throw invalidCredential('issued for another client or person');
    if (!usable) {
      refused(principal);
      throw invalidCredential('revoked, expired, or its account is deactivated');
    }
    const caller = principalOf(found);
    const use = { address, now: found.read_at };
    const reason = restrictionAgainst(principal.restrictions, use);
    if (reason !== null) {
      refused(principal, reason);
      // Outside the organization that REST names, the use concerns the credential's own.
      throw refusedUse({ caller: caller.organization === null ? principal : caller, reason });
    }
    if (!used_recently) onUse(principal.credential.id);
    return { found, caller };
  }

  return {
    /** Returns the principal for MCP requests. */
    async forMcp(keyIn: KeyIn, address: AddressOf, isRightful?: IsRightful) {
      const finding = {
        principalOf: ({ principal }: Credential) => principal,
        isRightful,
        address,
      };
      const { found, caller } = await find(keyIn(null), finding, onRefused);
      if (!hasLostTeams(found)) return caller;
      if (found.membership_with_deleted_seats !== null)
        await removeDeletedSeats(found.membership_with_deleted_seats);
      if (found.has_teams_beyond_client) await narrow(caller.credential.id);
      const reread = await find(keyIn(null), finding);
      if (hasLostTeams(reread.found)) throw unavailable('lost teams have not been removed yet');
      return reread.caller;
    },
    /** Returns the principal for REST requests. */
    async forRest(
      keyIn: KeyIn,
      { organization_id, address }: { organization_id: string | null; address: AddressOf },
      isRightful?: IsRightful,
    ): Promise<AgentPrincipal> {
      const principalOf = (found: Credential) => found.restPrincipal();
      const key = keyIn(organization_id);
      return (await find(key, { principalOf, isRightful, address })).caller;
    },
  };
}

interface Finding {
  /** Returns the principal of the request. */
  principalOf(credential: Credential): AgentPrincipal;
  isRightful?: IsRightful | undefined;
  address: AddressOf;
}

interface Found {
  found: Credential;
  caller: AgentPrincipal;
}

/** Whether teams that the credential has lost still give it capabilities in OpenFGA. */
const hasLostTeams = ({ membership_with_deleted_seats, has_teams_beyond_client }: Credential) =>
  membership_with_deleted_seats !== null || has_teams_beyond_client;

type IsRightful = (principal: AgentPrincipal) => boolean;
const always = () => true;

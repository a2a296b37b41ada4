import type { SessionPrincipal } from '../../caller/principal.ts';
import { forbidden, throwIfProblems } from '../../platform/errors/refusal.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { issuerOf } from './record.ts';
import type { ConnectionRow, Seat, WrittenConnection } from './store.ts';

/**
 * Creates the function that returns whether people sign in through a connection, or an Admin lets it
 * link accounts: from then on only an Admin may do what could lock them out.
 */
export const createIsRelied =
  ({ accounts }: Pick<SsoDependencies, 'accounts'>) =>
  async ({ id, may_link }: Pick<ConnectionRow, 'id' | 'may_link'>): Promise<boolean> =>
    may_link || accounts.identities.existAt(issuerOf(id));

/** Decides who may have a connection give what, and change how it identifies people. */
export function createConnectionGuard({
  organizations,
  accounts,
}: Pick<SsoDependencies, 'organizations' | 'accounts'>) {
  const isRelied = createIsRelied({ accounts });

  /** Throws 422 unless the caller may give the roles and seats that are not given already. */
  async function requireGivable(
    caller: SessionPrincipal,
    given: Pick<WrittenConnection, 'organization_id' | 'role_ids' | 'seats'>,
    already: Pick<WrittenConnection, 'role_ids' | 'seats'>,
  ): Promise<void> {
    const grant = {
      role_ids: given.role_ids,
      held: already.role_ids,
      seats: given.seats.map((seat) => ({
        ...seat,
        held: already.seats.some((one) => includesSeat(one, seat)),
      })),
    };
    const problems = await organizations.joinGrants.problems(caller, given.organization_id, grant);
    throwIfProblems(problems);
  }

  /**
   * Throws 403 if a caller without every permission of an Admin deletes a connection, replaces its
   * secret or changes how it identifies people, while people sign in through it or an Admin lets it
   * link accounts: the caller could lock them out, or sign in as any of them.
   */
  async function requireMayChange(row: ConnectionRow, isAdmin: boolean): Promise<void> {
    if (!isAdmin && (await isRelied(row)))
      throw forbidden(
        'permission_denied',
        'People sign in through this connection, so deleting it, replacing its secret or changing how it identifies them requires a session with every permission of an Admin.',
      );
  }

  return { requireGivable, requireMayChange, isAdmin: organizations.joinGrants.isAdmin };
}
export type ConnectionGuard = ReturnType<typeof createConnectionGuard>;

/** Returns whether a seat gives at least what another one does. */
const includesSeat = (seat: Seat, other: Seat): boolean =>
  seat.team_id === other.team_id && other.role_ids.every((id) => seat.role_ids.includes(id));

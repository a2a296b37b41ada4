import type { Change } from '../../../authz/authz.ts';
import type { Authority } from '../../../caller/actor.ts';
import type { MemberRow } from '../../members/store.ts';
import { slicesOf } from './tuples.ts';

type SeatChange = Pick<Change<unknown>, 'actor' | 'basis' | 'writes' | 'objects' | 'targets'>;

/**
 * Returns the common fields of a change of one seat; its basis includes the member's scope as read.
 */
export const seatChangeOf = (
  member: MemberRow,
  team_id: string,
  { actor, basis }: Authority,
): SeatChange => ({
  actor,
  // The caller's own scopes, as read by authentication, take precedence.
  basis: basis && [member.scope, ...basis],
  writes: [member.scope],
  objects: slicesOf({ ...member, team_id }),
  targets: [
    { type: 'team', id: team_id },
    { type: 'account', id: member.account_id },
  ],
});

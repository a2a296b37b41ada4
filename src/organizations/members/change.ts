import type { Change } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { MemberRow } from './store.ts';
import { membershipObject } from './tuples.ts';

type MemberChange = Pick<Change<unknown>, 'actor' | 'basis' | 'writes' | 'objects' | 'targets'>;

/**
 * Returns the common fields of a change of one member. Its basis includes the member's scope as it
 * was read; if the member is the caller, the scope as read by authentication takes precedence.
 */
export function changeOf(member: MemberRow, { actor, basis }: Authority): MemberChange {
  return {
    actor,
    basis: basis && [member.scope, ...basis],
    writes: [member.scope],
    objects: [{ object: membershipObject(member) }],
    targets: [{ type: 'account', id: member.account_id }],
  };
}

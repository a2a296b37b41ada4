import type { Change } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { MemberRow } from './store.ts';
import { membershipObject } from './tuples.ts';

type MemberChange = Pick<Change<unknown>, 'actor' | 'basis' | 'writes' | 'objects' | 'targets'>;

/**
 * Returns a change of one member, which stands on the member as read, too. If the member is the
 * caller, the scope as authentication read it counts, since the decision began there.
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

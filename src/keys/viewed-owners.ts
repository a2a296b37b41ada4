import type { Authz } from '../authz/authz.ts';
import { contextIn } from '../caller/access.ts';
import { isSession } from '../caller/principal.ts';
import type { Principal } from '../caller/principal.ts';
import type { Space } from '../content/content.ts';
import type { KeyOwner } from './store.ts';

/**
 * Creates the function that returns the owners whose keys a caller may view next to the items of a
 * space: the person of a session, and the space's organization if the caller may view its keys.
 */
export function createViewedOwners({ authz }: { authz: Pick<Authz, 'check'> }) {
  return async function viewedOwners(caller: Principal, space: Space): Promise<KeyOwner[]> {
    const own: KeyOwner[] = isSession(caller) ? [{ kind: 'account', id: caller.person }] : [];
    if (space.kind === 'personal' || space.kind === 'member') return own;
    const { organization_id } = space;
    const object = contextIn('organization', caller, { organization_id });
    if (object === null) return own;
    const results = await authz.check(caller, ['can_keys_read'], object);
    if (results.get('can_keys_read') !== true) return own;
    return [...own, { kind: 'organization', id: organization_id }];
  };
}

import type { Authz, ObjectCaller } from '../authz/authz.ts';
import { contextIn } from '../caller/access.ts';
import type { Principal } from '../caller/principal.ts';
import { families } from '../content/items/schema.ts';
import type { Family } from '../content/items/schema.ts';
import type { Delegation, Teams } from '../organizations/organizations.ts';
import type { HiddenReason } from '../visibility/schema.ts';
import type { Item, View, Visibility } from '../visibility/visibility.ts';
import type { KeyOwner } from './store.ts';

/**
 * Returns whether a person may know that an item of a view exists, and why it is hidden; `because` are
 * the reasons against it, unless they are still to be found.
 */
export type IsKnown = (view: View, item: Item, because?: readonly HiddenReason[]) => boolean;

export type KnownTo = ReturnType<typeof createKnownItems>;

export interface KnownItemsDependencies {
  authz: Pick<Authz, 'check'>;
  visibility: Pick<Visibility, 'reasonsAgainst'>;
  delegation: Delegation;
  teams: Pick<Teams, 'idsInside'>;
}

/**
 * Creates a function that returns an `IsKnown` for a caller and a key's organization. Only callers
 * who may view the catalog know of catalog items that no team of the key exposes. Only callers in a
 * team know of its items, although a key of the organization may reach them.
 */
export function createKnownItems({ authz, visibility, delegation, teams }: KnownItemsDependencies) {
  /** Returns the caller in the organization: as its request names it, or as its member. */
  async function callerIn(
    caller: Principal,
    organization_id: string,
  ): Promise<ObjectCaller | null> {
    const { organization, person: account_id } = caller;
    if (organization?.id === organization_id || account_id === null) return caller;
    return delegation.findMember({ organization_id, account_id });
  }

  async function findViewableFamilies(
    caller: Principal,
    organization_id: string,
  ): Promise<ReadonlySet<Family>> {
    const member = await callerIn(caller, organization_id);
    const object = member && contextIn('organization', member, { organization_id });
    if (member === null || object === null) return new Set();
    const results = await authz.check(member, families.map(relationOf), object);
    return new Set(families.filter((family) => results.get(relationOf(family)) === true));
  }

  return async function knownTo(
    caller: Principal,
    { owner, runs_in }: { owner: KeyOwner; runs_in: string | null },
  ): Promise<IsKnown> {
    // A person may know of everything in their own space.
    if (runs_in === null) return () => true;
    const viewable = await findViewableFamilies(caller, runs_in);
    // A person's key reaches only teams that its person is in.
    const inside = owner.kind === 'account' ? null : await teams.idsInside(caller, runs_in);
    return (view, item, because) => {
      if (item.space_id === null) return true;
      if (item.space_id !== runs_in) return inside === null || inside.has(item.space_id);
      if (viewable.has(item.family)) return true;
      return !(because ?? visibility.reasonsAgainst(view, item)).includes('not_exposed');
    };
  };
}

const relationOf = (family: Family) => `can_${family}s_read`;

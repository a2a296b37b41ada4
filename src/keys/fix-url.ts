import type { Capability } from '../authz/permissions.ts';
import type { HiddenReason } from '../visibility/schema.ts';
import { missingCapabilities, placeOf } from '../visibility/visibility.ts';
import type { Item, View } from '../visibility/visibility.ts';
import type { KeyOwner } from './store.ts';

/** The credential of a preview. */
export interface Previewed {
  owner: KeyOwner;
  /** The organization that it works in; null for its person's account. */
  runs_in: string | null;
  /**
   * The page on which its capabilities, grants and policies are changed, below those of its owner;
   * null if it has none, or does not exist yet.
   */
  page: string | null;
  /** The capabilities that it declares; in an organization, its person's roles may lack them. */
  declared: readonly Capability[];
}

/** Returns the address in the dashboard of what hides an item; null if no page changes it. */
export type FixUrlOf = (view: View, item: Item, because: readonly HiddenReason[]) => string | null;

const areaOf = (organization_id: string | null): string =>
  organization_id === null ? '/app' : `/app/org/${organization_id}`;

/** Creates `FixUrlOf` for a credential; the form of one that does not exist yet is open already. */
export function createFixUrls(dashboardUrl: string, previewed: Previewed): FixUrlOf {
  const { owner, runs_in, page, declared } = previewed;
  const area = areaOf(runs_in);
  const own =
    page === null ? null : `${areaOf(owner.kind === 'organization' ? owner.id : null)}/${page}`;
  const dependsOnRoles = owner.kind === 'account' && runs_in !== null;

  function capabilityPage(view: View, item: Item): string | null {
    if (missingCapabilities(view, item).some((name) => !declared.includes(name))) return own;
    return dependsOnRoles ? `${area}/roles` : null;
  }

  const pageOf: Record<HiddenReason, (view: View, item: Item) => string | null> = {
    not_connected: () => null,
    capability_missing: capabilityPage,
    not_selected: () => `${area}/mcp`,
    held: (view, item) => `${area}${spacePath(view, item, runs_in)}/tools/${item.id}`,
    not_exposed: () => `${area}/teams`,
    key_policy: () => own,
    permission_missing: () => own,
  };
  return (view, item, [reason]) => {
    const found = reason === undefined ? null : pageOf[reason](view, item);
    return found === null ? null : dashboardUrl + found;
  };
}

/** Returns the path of an item's space in an organization, as in the REST API. */
function spacePath(view: View, { space_id }: Item, runs_in: string | null): string {
  if (runs_in === null || space_id === null || space_id === runs_in) return '';
  const { exposure } = placeOf(view, { space_id: null });
  const isOfTeam = exposure?.teams.some(({ id }) => id === space_id) === true;
  return isOfTeam ? `/teams/${space_id}` : '/me';
}

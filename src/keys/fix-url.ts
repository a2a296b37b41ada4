import type { HiddenReason } from '../visibility/schema.ts';
import type { Item } from '../visibility/visibility.ts';
import type { KeyOwner } from './store.ts';

/** The credential of a preview; `id` is null before it exists. */
export interface Previewed {
  id: string | null;
  kind: 'key' | 'connection';
  owner: KeyOwner;
  /** The organization that it works in; null for its person's account. */
  runs_in: string | null;
}

/** Returns the address in the dashboard of what hides an item; null if no page changes it. */
export type FixUrlOf = (item: Item, because: readonly HiddenReason[]) => string | null;

const areaOf = (organization_id: string | null): string =>
  organization_id === null ? '/app' : `/app/org/${organization_id}`;

/** Creates `FixUrlOf` for a credential; the form of one that does not exist yet is open already. */
export function createFixUrls(dashboardUrl: string, previewed: Previewed): FixUrlOf {
  const { id, kind, owner, runs_in } = previewed;
  const home = areaOf(owner.kind === 'organization' ? owner.id : null);
  const own = id === null ? null : `${home}/${kind}s/${id}`;
  const pageOf: Record<HiddenReason, (item: Item) => string | null> = {
    not_connected: () => null,
    capability_missing: () => own,
    not_selected: () => `${areaOf(runs_in)}/mcp`,
    held: (item) => `${areaOf(runs_in)}/tools/${item.id}`,
    not_exposed: () => `${areaOf(runs_in)}/teams`,
    key_policy: () => own,
    permission_missing: () => own,
  };
  return (item, [reason]) => {
    const page = reason === undefined ? null : pageOf[reason](item);
    return page === null ? null : dashboardUrl + page;
  };
}

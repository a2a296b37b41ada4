import { isSession } from '../../caller/principal.ts';
import type { ToolListing } from '../../caller/schema.ts';
import type { Family } from '../../content/items/schema.ts';
import type { View } from '../../visibility/visibility.ts';
import type { Asked, ExplorerDependencies } from '../dependencies.ts';
import type { Look } from '../look.ts';
import type { SubjectAccess } from '../schema.ts';
import type { SubjectRow } from '../subjects/store.ts';

/**
 * Creates the function that returns a view's items, as far as the caller may know of them; `isWhole`
 * for visible ones without a limit, of which answers to people have a thousand of each family.
 */
export function createItems({
  keys: { knownTo, shownIn },
  isWhole = false,
}: Pick<ExplorerDependencies, 'keys'> & { isWhole?: boolean }) {
  return async (
    look: Look,
    { caller, organization_id }: Asked,
    {
      row,
      view,
      tool_listing = 'all',
    }: { row: SubjectRow | null; view: View; tool_listing?: ToolListing },
  ) => {
    // Another member's credential may be in teams that the viewer is not in, and has their own items.
    const isOwn = isSession(caller) && row?.account_id === caller.person;
    const owner = isOwn
      ? ({ kind: 'account', id: caller.person } as const)
      : ({ kind: 'organization', id: organization_id } as const);
    const isKnown = await knownTo(caller, { owner, runs_in: organization_id });
    const fairnessKey = caller.quota_owner.id;
    await look.visibility.precomputed(fairnessKey, view);
    const { seen, known } = await shownIn({
      ...{ view, isKnown, fairnessKey, page: null, default_agent_id: null, tool_listing },
      previewed: {
        owner: { kind: 'organization', id: organization_id },
        runs_in: organization_id,
        page: pageOf(row),
        declared: [...view.capabilities],
      },
    });
    const { hidden, counts } = seen;
    const visible = isWhole ? visibleIn(known) : seen.visible;
    return { visible, hidden, counts, as_of: look.as_of, model_id: look.model_id };
  };
}

function visibleIn(
  known: Awaited<ReturnType<ExplorerDependencies['keys']['shownIn']>>['known'],
): SubjectAccess['visible'] {
  const of = (family: Family) =>
    known[family].flatMap(({ id, name, system, because }) =>
      because.length > 0 ? [] : { id, name, ...(system === true ? { system } : {}) },
    );
  return {
    tools: of('tool'),
    prompts: of('prompt'),
    resources: of('resource'),
    agents: of('agent'),
  };
}

/** Returns the page of the dashboard that changes a credential; null if the organization has none. */
const pageOf = (row: SubjectRow | null): string | null =>
  row?.kind === 'organization_key' ? `keys/${row.id}` : null;

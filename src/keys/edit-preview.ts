import { problemsOf } from '../authz/authz.ts';
import type { Actor, Requested } from '../authz/authz.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import { inTurns } from '../platform/concurrency/turns.ts';
import { absent } from '../platform/errors/refusal.ts';
import { UNCHANGED } from '../visibility/visibility.ts';
import type { View, ViewsAround, Visibility } from '../visibility/visibility.ts';
import type { KeysDependencies } from './dependencies.ts';
import type { Guards } from './guards.ts';
import { knownItems } from './listed-items.ts';
import type { createKnownItems } from './known-items.ts';
import type { createKeyManagement } from './manage.ts';
import type { KeyEdit, KeyEditPreview, PreviewPage } from './schema.ts';
import { differenceOf } from './shown-items.ts';
import type { createShownItems, ShownItems } from './shown-items.ts';
import type { KeyId, KeyRow } from './store.ts';

export interface EditPreviewDependencies {
  guards: Guards;
  requestUpdate: ReturnType<typeof createKeyManagement>['requestUpdate'];
  viewsAround: ViewsAround;
  admitPreview: KeysDependencies['admitPreview'];
  visibility: Pick<Visibility, 'precomputed' | 'allItems' | 'reasonsAgainst'>;
  knownTo: ReturnType<typeof createKnownItems>;
  shownIn: ReturnType<typeof createShownItems>;
}

/** What an edited key would see and be granted. */
export interface PreviewedEdit extends Pick<KeyRow, 'grants' | 'mcp_capabilities'> {
  seen: Omit<KeyEditPreview, 'warnings'> & ShownItems['seen'];
}

/**
 * Creates the function that previews an edit of a key: the update itself is made in a transaction
 * that is rolled back. An edit that would be refused changes nothing; `errors` says why.
 */
export function createEditPreview(dependencies: EditPreviewDependencies) {
  const { guards, admitPreview, visibility, knownTo, shownIn } = dependencies;
  const viewsOf = createEditedViews(dependencies);

  return (
    caller: SessionPrincipal,
    key: KeyId,
    request: { edit: KeyEdit; actor: Actor; page: PreviewPage | null },
  ) => admitPreview(caller.person, () => previewEdit(caller, key, request));

  async function previewEdit(
    caller: SessionPrincipal,
    key: KeyId,
    { edit, actor, page }: { edit: KeyEdit; actor: Actor; page: PreviewPage | null },
  ): Promise<PreviewedEdit> {
    const { id, owner } = key;
    const stored = await guards.getKey(owner, id);
    const { runs_in } = stored;
    const { before, after, errors } = await viewsOf(caller, key, edit, actor);
    const edited: KeyRow = errors.length > 0 ? stored : { ...stored, ...sentIn(edit) };
    const isKnown = await knownTo(caller, { owner, runs_in });
    for (const view of [before, after]) await visibility.precomputed(caller.person, view);
    const shown = await shownIn({
      ...{ view: after, isKnown, fairnessKey: caller.person, page },
      previewed: { owner, runs_in, page: `keys/${id}`, declared: edited.mcp_capabilities },
      ...{ default_agent_id: edited.default_agent_id, tool_listing: edited.tool_listing },
      restrictions: edited,
    });
    const { tool_listing } = stored;
    const earlier = await inTurns(
      caller.person,
      knownItems(visibility, { view: before, isKnown, tool_listing }),
    );
    const { counts, ...difference } = differenceOf(earlier, shown.known);
    const all = { ...shown.seen.counts, ...counts };
    const seen = { ...shown.seen, ...difference, counts: all, errors };
    return { grants: edited.grants, mcp_capabilities: edited.mcp_capabilities, seen };
  }
}

/** Creates the function that returns what a key sees before and after an edit. */
function createEditedViews({
  requestUpdate,
  viewsAround,
}: Pick<EditPreviewDependencies, 'requestUpdate' | 'viewsAround'>) {
  async function around(
    requested: Requested,
    id: string,
  ): Promise<Record<'before' | 'after', View>> {
    const views = await viewsAround(requested, [id]);
    const [before, after] = [views.before.get(id), views.after.get(id)];
    if (before === undefined || after === undefined) throw absent('deleted concurrently');
    return { before, after };
  }

  return async (caller: SessionPrincipal, key: KeyId, edit: KeyEdit, actor: Actor) => {
    try {
      const requested = await requestUpdate(caller, key, edit, actor);
      return { ...(await around(requested ?? UNCHANGED, key.id)), errors: [] };
    } catch (error) {
      return { ...(await around(UNCHANGED, key.id)), errors: problemsOf(error) };
    }
  };
}

/** Returns the fields of an edit that were sent. */
const sentIn = ({
  grants,
  mcp_capabilities,
  default_agent_id,
  tool_listing,
  allowed_addresses,
  hours,
}: KeyEdit) => ({
  ...(grants === undefined ? {} : { grants }),
  ...(mcp_capabilities === undefined ? {} : { mcp_capabilities }),
  ...(default_agent_id === undefined ? {} : { default_agent_id }),
  ...(tool_listing === undefined ? {} : { tool_listing }),
  ...(allowed_addresses === undefined ? {} : { allowed_addresses }),
  ...(hours === undefined ? {} : { hours }),
});

import type { SessionPrincipal } from '../caller/principal.ts';
import { nowhere } from '../visibility/visibility.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { MAX_PROBLEMS } from '../platform/errors/refusal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import { policiesOf } from '../policies/item-policies.ts';
import { createValidateKeyDraft, runsIn } from './validate-draft.ts';
import type { ValidateKeyDraftDependencies } from './validate-draft.ts';
import { homePointer } from './delegated.ts';
import type { Guards } from './guards.ts';
import type { createKnownItems } from './known-items.ts';
import type { KeyDraft, Preview, PreviewPage } from './schema.ts';
import type { createShownItems } from './shown-items.ts';
import type { KeyOwner } from './store.ts';

export interface PreviewDependencies extends ValidateKeyDraftDependencies {
  guards: Guards;
  visibility: Pick<Visibility, 'precomputed'>;
  knownTo: ReturnType<typeof createKnownItems>;
  shownIn: ReturnType<typeof createShownItems>;
}

/**
 * Creates `preview`, which returns what a key created from a draft would see, by the rules for
 * stored keys.
 */
export function createPreview(dependencies: PreviewDependencies) {
  const { guards, agents, visibility, knownTo, shownIn } = dependencies;
  const validateKeyDraft = createValidateKeyDraft(dependencies);

  return async function preview(
    caller: SessionPrincipal,
    owner: KeyOwner,
    draft: KeyDraft,
    page: PreviewPage | null,
  ): Promise<Preview> {
    const runs_in = runsIn(owner, draft);
    const context = { owner, runs_in, team_ids: draft.team_ids };
    const [conflicts, { problems }, viewOf] = await Promise.all([
      guards.keyringProblems(owner, draft.name),
      validateKeyDraft(caller, owner, draft),
      agents.draftsFor(caller, context),
    ]);
    const isSuspended = problems.some(isSuspendedAt(homePointer(owner)));
    const view = (isSuspended ? null : viewOf?.(withoutRefused(draft, problems))) ?? {
      ...nowhere,
      policies: policiesOf(draft),
    };
    const isKnown = await knownTo(caller, context);
    await visibility.precomputed(caller.person, view);
    const { seen } = await shownIn({
      ...{ view, isKnown, fairnessKey: caller.person, page },
      previewed: { owner, runs_in, page: null, declared: draft.mcp_capabilities },
      // An unavailable agent of a draft is an error.
      default_agent_id: null,
      restrictions: draft,
      tool_listing: draft.tool_listing,
    });
    return { ...seen, errors: [...conflicts, ...problems].slice(0, MAX_PROBLEMS) };
  };
}

/** Returns whether a problem is that the key's own organization, where nothing works, is suspended. */
const isSuspendedAt =
  (home: string) =>
  ({ code, detail }: Problem): boolean =>
    code === 'organization_suspended' && (detail as { pointer: string }).pointer === home;

/** Leaves out the capabilities that the creator may not grant. */
function withoutRefused(draft: KeyDraft, problems: readonly Problem[]): KeyDraft {
  const refused = problems
    .filter(({ code }) => code === 'capability_escalation')
    .map(({ detail }) => (detail as { capability: string }).capability);
  const granted = draft.mcp_capabilities.filter((name) => !refused.includes(name));
  return { ...draft, mcp_capabilities: granted };
}

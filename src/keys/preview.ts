import type { SessionPrincipal } from '../caller/principal.ts';
import { families } from '../content/items/schema.ts';
import type { Family } from '../content/items/schema.ts';
import { systemTools } from '../catalog/catalog.ts';
import { nowhere } from '../visibility/visibility.ts';
import type { View, Visibility } from '../visibility/visibility.ts';
import { MAX_PROBLEMS } from '../platform/errors/refusal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import { policiesOf } from '../policies/item-policies.ts';
import { createValidateKeyDraft, runsIn } from './validate-draft.ts';
import type { ValidateKeyDraftDependencies } from './validate-draft.ts';
import type { Guards } from './guards.ts';
import type { createKnownItems, IsKnown } from './known-items.ts';
import type { KeyDraft, Preview } from './schema.ts';
import type { KeyOwner } from './store.ts';

export interface PreviewDependencies extends ValidateKeyDraftDependencies {
  guards: Guards;
  visibility: Pick<Visibility, 'precomputed' | 'list' | 'allItems' | 'reasonsAgainst'>;
  knownTo: ReturnType<typeof createKnownItems>;
}

// Maximum length of each list; `counts` has the totals.
const MAX_ITEMS = 1_000;

/**
 * Creates `preview`, which returns what a key created from a draft would see, by the rules for
 * stored keys.
 */
export function createPreview(dependencies: PreviewDependencies) {
  const { guards, agents, visibility, knownTo } = dependencies;
  const validateKeyDraft = createValidateKeyDraft(dependencies);

  const shownIn = createShownItems(visibility);

  return async function preview(
    caller: SessionPrincipal,
    owner: KeyOwner,
    draft: KeyDraft,
  ): Promise<Preview> {
    const context = { owner, runs_in: runsIn(owner, draft), team_ids: draft.team_ids };
    const [conflicts, { problems }, viewOf] = await Promise.all([
      guards.keyringProblems(owner, draft.name),
      validateKeyDraft(caller, owner, draft),
      agents.draftsFor(caller, context),
    ]);
    const isSuspended = problems.some(isHomeSuspended);
    const view = (isSuspended ? null : viewOf?.(withoutRefused(draft, problems))) ?? {
      ...nowhere,
      policies: policiesOf(draft),
    };
    const isKnown = await knownTo(caller, context);
    await visibility.precomputed(caller.person, view);
    return {
      ...shownIn(view, isKnown),
      errors: [...conflicts, ...problems].slice(0, MAX_PROBLEMS),
    };
  };
}

/** Creates a function that returns what a view shows, and the known items that it hides. */
export function createShownItems(
  visibility: Pick<Visibility, 'list' | 'allItems' | 'reasonsAgainst'>,
) {
  function hiddenOf(view: View, family: Family, isKnown: IsKnown): Preview['hidden'] {
    return visibility
      .allItems(view, family)
      .filter((item) => isKnown(view, item))
      .map((item) => ({ item, because: visibility.reasonsAgainst(view, item) }))
      .filter(({ because }) => because.length > 0)
      .map(({ item: { id, name }, because }) => ({ family, id, name, because }));
  }

  return (view: View, isKnown: IsKnown): Omit<Preview, 'errors'> => {
    const governed = visibleOf((family) => visibility.list(view, family));
    const system = view.connected ? SYSTEM_TOOLS : [];
    const visible = { ...governed, tools: [...system, ...governed.tools] };
    const hidden = families.flatMap((family) => hiddenOf(view, family, isKnown));
    return {
      visible: mapFamilies(visible, (items) => items.slice(0, MAX_ITEMS).map(nameOf)),
      hidden: hidden.slice(0, MAX_ITEMS),
      counts: { visible: mapFamilies(visible, ({ length }) => length), hidden: hidden.length },
    };
  };
}

/** Returns whether a problem is that the key's own organization, where nothing works, is suspended. */
const isHomeSuspended = ({ code, detail }: Problem): boolean =>
  code === 'organization_suspended' && (detail as { pointer: string }).pointer === '/org_scope';

/** Leaves out the capabilities that the creator may not grant. */
function withoutRefused(draft: KeyDraft, problems: readonly Problem[]): KeyDraft {
  const refused = problems
    .filter(({ code }) => code === 'capability_escalation')
    .map(({ detail }) => (detail as { capability: string }).capability);
  const granted = draft.mcp_capabilities.filter((name) => !refused.includes(name));
  return { ...draft, mcp_capabilities: granted };
}

interface NamedItem {
  id: string;
  name: string;
  system?: true;
}
const nameOf = ({ id, name, system }: NamedItem): NamedItem => ({
  id,
  name,
  ...(system === true ? { system } : {}),
});

const SYSTEM_TOOLS: readonly NamedItem[] = Object.entries(systemTools).map(([name, id]) => ({
  ...{ id, name },
  system: true,
}));

interface ByFamily<Value> {
  tools: Value;
  prompts: Value;
  resources: Value;
  agents: Value;
}

const visibleOf = (
  list: (family: Family) => readonly NamedItem[],
): ByFamily<readonly NamedItem[]> => ({
  tools: list('tool'),
  prompts: list('prompt'),
  resources: list('resource'),
  agents: list('agent'),
});

const mapFamilies = <From, To>(all: ByFamily<From>, to: (value: From) => To): ByFamily<To> => ({
  tools: to(all.tools),
  prompts: to(all.prompts),
  resources: to(all.resources),
  agents: to(all.agents),
});

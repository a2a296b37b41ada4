import type { SessionPrincipal } from '../caller/principal.ts';
import { families } from '../content/items/schema.ts';
import type { Family } from '../content/items/schema.ts';
import { systemTools } from '../catalog/catalog.ts';
import type { View, Visibility } from '../visibility/visibility.ts';
import { patternsOf } from '../policies/patterns.ts';
import { createValidateKeyDraft } from './validate-draft.ts';
import type { ValidateKeyDraftDependencies } from './validate-draft.ts';
import type { Guards } from './guards.ts';
import { MAX_PROBLEMS } from './rules.ts';
import type { KeyDraft, Preview } from './schema.ts';

export interface PreviewDependencies extends ValidateKeyDraftDependencies {
  guards: Guards;
  visibility: Pick<Visibility, 'drafts' | 'settle' | 'list' | 'everything' | 'reasonsAgainst'>;
}

// Maximum length of each list; `counts` has the totals.
const MAX_ITEMS = 1_000;

/**
 * Creates `preview`, which returns what a key created from a draft would see, by the rules for
 * stored keys.
 */
export function createPreview(dependencies: PreviewDependencies) {
  const { guards, visibility } = dependencies;
  const validateKeyDraft = createValidateKeyDraft(dependencies);

  function hiddenOf(view: View, family: Family): Preview['hidden'] {
    return visibility
      .everything(view, family)
      .map((item) => ({ item, because: visibility.reasonsAgainst(view, item) }))
      .filter(({ because }) => because.length > 0)
      .map(({ item: { id, name }, because }) => ({ family, id, name, because }));
  }

  return async function preview(caller: SessionPrincipal, draft: KeyDraft): Promise<Preview> {
    const [conflicts, { problems }, viewOf] = await Promise.all([
      guards.keyringProblems(caller, draft.name),
      validateKeyDraft(caller, draft),
      visibility.drafts(caller),
    ]);
    // A key of an organization has no access to its owner's personal items.
    const view = { ...viewOf(draft), connected: draft.org_scope === null };
    const { patterns } = view.policies.resource;
    const resources = visibility.everything(view, 'resource');
    if (patterns !== undefined)
      await visibility.settle(caller.person, patternsOf(patterns), resources);
    const governed = visibleOf((family) => visibility.list(view, family));
    const system = view.connected ? SYSTEM_TOOLS : [];
    const visible = { ...governed, tools: [...system, ...governed.tools] };
    const hidden = families.flatMap((family) => hiddenOf(view, family));
    return {
      visible: mapFamilies(visible, (items) => items.slice(0, MAX_ITEMS).map(named)),
      hidden: hidden.slice(0, MAX_ITEMS),
      counts: { visible: mapFamilies(visible, ({ length }) => length), hidden: hidden.length },
      errors: [...conflicts, ...problems].slice(0, MAX_PROBLEMS),
    };
  };
}

interface Named {
  id: string;
  name: string;
  system?: true;
}
const named = ({ id, name, system }: Named): Named => ({
  id,
  name,
  ...(system === true ? { system } : {}),
});

const SYSTEM_TOOLS: readonly Named[] = Object.entries(systemTools).map(([name, id]) => ({
  ...{ id, name },
  system: true,
}));

interface ByFamily<Value> {
  tools: Value;
  prompts: Value;
  resources: Value;
  agents: Value;
}

const visibleOf = (list: (family: Family) => readonly Named[]): ByFamily<readonly Named[]> => ({
  tools: list('tool'),
  prompts: list('prompt'),
  resources: list('resource'),
  agents: list('agent'),
});

const mapFamilies = <From, To>(all: ByFamily<From>, to: (one: From) => To): ByFamily<To> => ({
  tools: to(all.tools),
  prompts: to(all.prompts),
  resources: to(all.resources),
  agents: to(all.agents),
});

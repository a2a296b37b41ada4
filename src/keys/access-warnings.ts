import type { Family } from '../content/items/schema.ts';
import type { AccessWarning } from '../visibility/schema.ts';
import type { View, Visibility } from '../visibility/visibility.ts';
import type { IsKnown } from './known-items.ts';
import type { KnownItem, KnownItems } from './listed-items.ts';

// Models choose worse among more tools; several clients and model APIs accept at most 128.
const MANY_TOOLS = 40;
const MAX_TOOLS_OF_CLIENTS = 128;

/** Returns a warning if a credential lists more tools than models handle well. */
export function manyTools(count: number): AccessWarning[] {
  if (count < MANY_TOOLS) return [];
  const message =
    count > MAX_TOOLS_OF_CLIENTS
      ? `${count} tools are listed; several clients use at most ${MAX_TOOLS_OF_CLIENTS}. Restrict the tools.`
      : `${count} tools are listed; models choose worse from ${MANY_TOOLS} on. Restrict the tools.`;
  return [{ code: 'many_tools', message, detail: null }];
}

/**
 * Returns a warning if the default agent is not one that the credential can access and the viewer
 * may know of, as in the credential's record.
 */
export function unavailableAgent(
  visibility: Pick<Visibility, 'reach'>,
  { view, isKnown }: { view: View; isKnown: IsKnown },
  default_agent_id: string | null,
): AccessWarning[] {
  if (default_agent_id === null) return [];
  const agent = visibility.reach(view, 'agent', default_agent_id);
  if (agent !== null && isKnown(view, agent)) return [];
  return [
    {
      code: 'agent_unavailable',
      message: 'The default agent is no longer available to this credential. Choose another.',
      detail: { pointer: '/default_agent_id' },
    },
  ];
}

const POLICIES: readonly Family[] = ['tool', 'resource', 'prompt', 'agent'];

/** Returns a warning for each policy whose lists match no known item of the credential's spaces. */
export const unmatchedPolicies = ({ policies }: View, known: KnownItems): AccessWarning[] =>
  POLICIES.filter((family) => {
    const { mode } = policies[family];
    if (mode === 'all') return false;
    const items = known[family].filter(({ item }) => item !== null);
    const isExcluded = ({ because }: KnownItem) => because.includes('key_policy');
    return mode === 'whitelist' ? items.every(isExcluded) : !items.some(isExcluded);
  }).map((family) => ({
    code: 'policy_matches_nothing',
    message: `The ${family} policy matches nothing that exists. Check its lists.`,
    detail: { pointer: `/${family}_policy` },
  }));

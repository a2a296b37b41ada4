import { isWithinHours } from '../caller/restrictions/hours.ts';
import type { Restrictions } from '../caller/restrictions/schema.ts';
import type { Family } from '../content/items/schema.ts';
import type { Policies } from '../policies/item-policies.ts';
import type { AccessWarning } from '../visibility/schema.ts';
import type { View, Visibility } from '../visibility/visibility.ts';
import type { IsKnown } from './known-items.ts';
import type { KnownItem, KnownItems } from './listed-items.ts';

const MAX_NAMED = 5;
// Models choose worse among more tools; several clients and model APIs accept at most 128.
const MANY_TOOLS = 40;
const MAX_TOOLS_OF_CLIENTS = 128;

/** Returns a warning if a credential lists more tools than models handle well. */
export function manyTools(count: number): AccessWarning[] {
  if (count < MANY_TOOLS) return [];
  const message =
    count > MAX_TOOLS_OF_CLIENTS
      ? `${count} tools are listed; several clients use at most ${MAX_TOOLS_OF_CLIENTS}. Restrict the tools, or set \`tool_listing\` to \`search\`.`
      : `${count} tools are listed; models choose worse from ${MANY_TOOLS} on. Restrict the tools, or set \`tool_listing\` to \`search\`.`;
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

/** Returns warnings for a credential that works only from some addresses, or not now. */
export function restrictedUse(restrictions: Restrictions | null, now: Date): AccessWarning[] {
  const { allowed_addresses = null, hours = null } = restrictions ?? {};
  return [
    ...(allowed_addresses === null
      ? []
      : [
          {
            code: 'address_not_allowed' as const,
            message: `From other addresses than these it is refused: ${allowed_addresses.slice(0, MAX_NAMED).join(', ')}${allowed_addresses.length > MAX_NAMED ? ' …' : ''}.`,
            detail: { pointer: '/allowed_addresses' },
          },
        ]),
    ...(hours === null || isWithinHours(hours, now)
      ? []
      : [
          {
            code: 'outside_hours' as const,
            message: 'It is refused now, outside its hours.',
            detail: { pointer: '/hours' },
          },
        ]),
  ];
}

/** The lists of policies that name built-in items, which must also be selected. */
const BUILT_IN = [
  { family: 'tool', list: 'tools', idsIn: ({ tool }: Policies) => tool.tools },
  {
    family: 'prompt',
    list: 'platform_prompts',
    idsIn: ({ prompt }: Policies) => prompt.platform_prompts,
  },
] as const;

/**
 * Returns a warning for each family of which a whitelist, of the credential or of a team that it is
 * active in, names built-in items that are not selected: they stay hidden all the same.
 */
export const unselectedItems = ({ policies, places }: View, known: KnownItems): AccessWarning[] =>
  BUILT_IN.flatMap(({ family, list, idsIn }) => {
    const listedIn = (some: Policies) =>
      some[family].mode === 'whitelist' ? (idsIn(some) ?? []) : [];
    const own = new Set(listedIn(policies));
    const teams = places.flatMap(({ exposure }) => exposure?.teams ?? []);
    const named = own.union(new Set(teams.flatMap((team) => listedIn(team.policies))));
    const unselected = known[family].filter(
      ({ id, because }) => named.has(id) && because.includes('not_selected'),
    );
    if (unselected.length === 0) return [];
    const isOwn = unselected.some(({ id }) => own.has(id));
    return [
      {
        code: 'not_selected',
        message: `The ${family} policy names what the MCP settings do not select, so it stays hidden: ${shortList(unselected)}.`,
        detail: isOwn ? { pointer: `/${family}_policy/${list}` } : null,
      },
    ];
  });

function shortList(items: readonly KnownItem[]): string {
  const names = items.slice(0, MAX_NAMED).map(({ name }) => `\`${name}\``);
  const more = items.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
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

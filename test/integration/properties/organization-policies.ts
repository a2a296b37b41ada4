import { expect } from 'vitest';
import type { OraclePolicy } from '../../oracle/world.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { CAPABILITIES, ITEM_FAMILIES, pool } from '../../support/worlds/worlds.ts';
import type { AccountPlan, ItemFamily, PolicyPlan } from '../../support/worlds/worlds.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { policyOf } from './drafts.ts';
import type { OrganizationPlan } from './organization-plans.ts';
import { namesShown } from './shown-names.ts';
import { builtIns } from './stage.ts';

/** An organization with every item of the pool in its catalog, and one of each family per team. */
export const fullOrganization: OrganizationPlan = {
  selected: { tools: [], prompts: [] },
  designated: { builtIn: [], catalog: [] },
  catalog: ITEM_FAMILIES.flatMap((family) =>
    pool[family].map((name) => ({ family, name, conditions: [] })),
  ),
  teams: [0, 1].map(() => ({
    policies: {},
    items: ITEM_FAMILIES.map((family) => ({
      ...{ family, conditions: [] },
      name: pool[family][0]!,
    })),
  })),
  members: [],
  keys: [],
  commands: [],
};

export type PlannedPolicies = Record<ItemFamily, PolicyPlan>;

/** What determines which items a key of the Owner reaches. */
export interface Reach {
  capabilities: readonly string[];
  /** Indexes of the teams that the key is bound to; null if it follows all of them. */
  teams: readonly number[] | null;
  selected: AccountPlan['selected'];
  /** Built-in items among the selected ones that are for the whole organization. */
  wide: readonly string[];
  /** Whether the first catalog item of each family is for the whole organization. */
  isCatalogWide: boolean;
  policies: readonly PlannedPolicies[];
}

export const ALL = (): PlannedPolicies => {
  const all = { mode: 'all' as const, own: [], builtIns: [] };
  return { tools: all, prompts: all, resources: all, agents: all };
};

/** Returns a key of the Owner, and a function that changes what it reaches, over REST. */
export async function createReach(built: BuiltOrganization) {
  const { owner, base, teams, catalog, requireStatus, id } = built;
  const key = await requireStatus<{ id: string; secret: string }>(owner, 201, {
    path: '/api/keys',
    body: { name: `reach ${id}`, org_scope: id, mcp_capabilities: [...CAPABILITIES] },
  });
  let previous: Reach | null = null;
  const isChanged = (part: (reach: Reach) => unknown, next: Reach) =>
    previous === null || JSON.stringify(part(previous)) !== JSON.stringify(part(next));

  async function setPolicies(next: Reach) {
    for (const index of teams.keys())
      for (const family of ITEM_FAMILIES) {
        if (!isChanged(({ policies }) => policies[index]![family], next)) continue;
        const body = policyOf(catalog.items, family, next.policies[index]![family]);
        await setPolicy(index, family, body);
      }
    for (const family of ITEM_FAMILIES) {
      if (!isChanged(({ isCatalogWide }) => isCatalogWide, next)) continue;
      const [item] = catalog.items[family];
      const segment = family === 'tools' ? 'custom-tools' : family;
      const path = `${base}/${segment}/${item!.id}`;
      const body = { organization_wide: next.isCatalogWide };
      await requireStatus(owner, 200, { method: 'PATCH', path, body });
    }
  }

  const setPolicy = (team: number, family: ItemFamily, body: OraclePolicy) =>
    requireStatus(owner, 200, {
      method: 'PUT',
      path: `${teams[team]!.space.path}/policies/${family.slice(0, -1)}`,
      body,
    });

  return {
    secret: key.secret,
    setPolicy,
    async set(next: Reach) {
      const { tools, prompts } = next.selected;
      const wide = (all: readonly string[]) => all.filter((one) => next.wide.includes(one));
      if (isChanged(({ selected, wide: ids }) => [selected, ids], next))
        await requireStatus(owner, 200, {
          method: 'PUT',
          path: `${base}/mcp-settings`,
          body: {
            ...{ tools, organization_wide_tools: wide(tools) },
            ...{ platform_prompts: prompts, organization_wide_prompts: wide(prompts) },
          },
        });
      await setPolicies(next);
      if (isChanged(({ capabilities, teams: bound }) => [capabilities, bound], next))
        await requireStatus(owner, 200, {
          method: 'PATCH',
          path: `/api/keys/${key.id}`,
          body: {
            mcp_capabilities: next.capabilities,
            team_ids: next.teams?.map((index) => teams[index]!.id) ?? null,
          },
        });
      previous = next;
    },
    end: () => askAs(owner, { method: 'DELETE', path: `/api/keys/${key.id}` }),
  };
}
type OwnersKey = Awaited<ReturnType<typeof createReach>>;

/** Returns a policy that lists something, since one that lists nothing cannot be saved. */
export const nonEmpty =
  (family: ItemFamily) =>
  (plan: PolicyPlan): PolicyPlan => ({
    ...plan,
    own: union(plan.own, family === 'resources' ? ['docs/**'] : [pool[family][0]!]),
    builtIns: family === 'tools' ? union(plan.builtIns, [builtIns.tools[0]!]) : plan.builtIns,
  });

interface WideningPlan {
  capabilities: readonly string[];
  some: PlannedPolicies;
  more: PlannedPolicies;
  selected: AccountPlan['selected'];
}

/** Returns states of which each allows all that the one before it allows, and possibly more. */
export function statesOf(plan: WideningPlan): [what: string, reach: Reach][] {
  const { capabilities, some, more, selected } = plan;
  const longer = merged(some, more);
  const every = { tools: [...builtIns.tools], prompts: [...builtIns.prompts] };
  let reach: Reach = {
    ...{ capabilities: [], teams: [], selected: { tools: [], prompts: [] }, wide: [] },
    ...{ isCatalogWide: false, policies: [as('whitelist', some), as('blacklist', longer)] },
  };
  const widened = (what: string, change: Partial<Reach>): [string, Reach] => {
    reach = { ...reach, ...change };
    return [what, reach];
  };
  return [
    widened('nothing', {}),
    widened('capabilities', { capabilities }),
    widened('a selection', { selected }),
    widened('a team', { teams: [0] }),
    widened('another team', { teams: [0, 1] }),
    widened('all teams', { teams: null }),
    widened('a longer whitelist', {
      policies: [as('whitelist', longer), as('blacklist', longer)],
    }),
    widened('a shorter blacklist', {
      policies: [as('whitelist', longer), as('blacklist', some)],
    }),
    widened('all capabilities', { capabilities: CAPABILITIES }),
    widened('the whole selection', { selected: every }),
    widened('built-in items for the whole organization', { wide: every.tools.slice(0, 1) }),
    widened('catalog items for the whole organization', { isCatalogWide: true }),
    widened('a policy without a filter', { policies: [ALL(), as('blacklist', some)] }),
  ];
}

const union = <Entry>(left: readonly Entry[], right: readonly Entry[]) => [
  ...new Set([...left, ...right]),
];
const each = (change: (family: ItemFamily) => PolicyPlan) =>
  Object.fromEntries(ITEM_FAMILIES.map((family) => [family, change(family)])) as PlannedPolicies;
const as = (mode: PolicyPlan['mode'], policies: PlannedPolicies) =>
  each((family) => ({ ...policies[family], mode }));
const merged = (some: PlannedPolicies, more: PlannedPolicies) =>
  each((family) => ({
    ...some[family],
    own: union(some[family].own, more[family].own),
    builtIns: union(some[family].builtIns, more[family].builtIns),
  }));

const ROOT = 'toolgate://';

/**
 * Expects that each state of a key shows what the one before it shows, and possibly more, and that
 * going back leaves exactly what was there: widening removes nothing, narrowing adds nothing (P11).
 */
export async function expectWidening(
  key: OwnersKey,
  states: readonly [what: string, reach: Reach][],
  at: Gateway,
) {
  const shown: Set<string>[] = [];
  for (const [index, [what, reach]] of states.entries()) {
    await key.set(reach);
    const names = await namesShown(key.secret, at, ROOT);
    expect(
      [...(shown[index - 1] ?? [])].filter((name) => !names.has(name)),
      what,
    ).toEqual([]);
    shown.push(names);
  }
  for (const [index, [what, reach]] of [...states.entries()].toReversed()) {
    await key.set(reach);
    expect(await namesShown(key.secret, at, ROOT), `back to: ${what}`).toEqual(shown[index]);
  }
}

const SYSTEM = ['tools setup', 'tools bootstrap', 'tools agent_context'];
/** Whether a name, prefixed with its family, is one of the catalog or built in. */
const isOfCatalog = (name: string) =>
  name.startsWith('resources ')
    ? name.startsWith('resources org/')
    : !/__|\//.test(name) && !SYSTEM.includes(name);

/**
 * Expects that a whitelist and a blacklist with the same entries divide what `all` shows of the
 * catalog, for a key in one team (P11). Nothing may be designated for the whole organization.
 */
export async function expectPartition(
  key: OwnersKey,
  built: BuiltOrganization,
  family: ItemFamily,
  plan: PolicyPlan,
  at: Gateway,
) {
  const shownWith = async (mode: PolicyPlan['mode']) => {
    await key.setPolicy(0, family, policyOf(built.catalog.items, family, { ...plan, mode }));
    const names = await namesShown(key.secret, at, ROOT);
    return new Set([...names].filter((name) => name.startsWith(`${family} `)));
  };
  const [listed, unlisted, all] = [
    await shownWith('whitelist'),
    await shownWith('blacklist'),
    await shownWith('all'),
  ];
  expect(listed.union(unlisted), `all of ${family}`).toEqual(all);
  expect([...listed.intersection(unlisted)].filter(isOfCatalog), `both of ${family}`).toEqual([]);
}

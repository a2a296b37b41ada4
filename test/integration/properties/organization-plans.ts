import fc from 'fast-check';
import {
  anyCapabilities,
  anyItemOf,
  anyPolicyOf,
  anySelection,
  ITEM_FAMILIES,
} from '../../support/worlds/worlds.ts';
import type {
  AccountPlan,
  BuiltInItems,
  ItemFamily,
  ItemPlan,
  PolicyPlan,
} from '../../support/worlds/worlds.ts';

/** Team names; they are the same in every organization, so that only ids distinguish the teams. */
export const teamNames = ['blue', 'red'] as const;

interface TeamPlan {
  policies: Partial<Record<ItemFamily, PolicyPlan>>;
  items: readonly ItemPlan[];
}

interface MemberPlan {
  me: readonly ItemPlan[];
  /** Capabilities of the person's role in the organization after the keys are created. */
  capabilities: readonly string[];
  /** Capabilities of the person's role in each team; null without a seat. */
  seats: readonly (readonly string[] | null)[];
  managesEvery: boolean;
}

interface OrganizationKeyPlan {
  /** Index of the member, modulo the number of members; null for a key of the organization. */
  member: number | null;
  capabilities: readonly string[];
  /** Indexes of the teams to bind to, except those out of reach; null to follow teams. */
  teams: readonly number[] | null;
  /** Index of the default agent among the agents that the new key reaches; null for none. */
  defaultAgent: number | null;
  /** Whether it is an OAuth connection with the same fields instead of a key. */
  isConnection: boolean;
}

/** Changes to a built organization; indexes are taken modulo the number of things. */
export type OrganizationCommand =
  | { does: 'leave team'; member: number; team: number }
  | { does: 'policy'; team: number; family: ItemFamily; policy: PolicyPlan }
  | { does: 'select'; selected: AccountPlan['selected'] }
  | { does: 'promote'; team: number; item: number }
  | { does: 'capabilities'; member: number; capabilities: readonly string[] }
  | { does: 'leave'; member: number };

export interface OrganizationPlan {
  selected: AccountPlan['selected'];
  /** Which built-in items, if selected, and which catalog items are designated for everyone. */
  designated: { builtIn: readonly string[]; catalog: readonly boolean[] };
  catalog: readonly ItemPlan[];
  teams: readonly TeamPlan[];
  members: readonly MemberPlan[];
  keys: readonly OrganizationKeyPlan[];
  commands: readonly OrganizationCommand[];
}

const anyItems = (builtIns: BuiltInItems, maxLength: number) =>
  fc.uniqueArray(fc.oneof(...ITEM_FAMILIES.map((family) => anyItemOf(family, builtIns))), {
    maxLength,
    selector: ({ family, name }) => `${family} ${name}`,
  });

/** Generates an organization of two teams and two members, who may have seats in both. */
export const anyOrganization = (builtIns: BuiltInItems): fc.Arbitrary<OrganizationPlan> =>
  fc.record({
    selected: anySelection(builtIns),
    designated: fc.record({
      builtIn: fc.subarray([...builtIns.tools, ...builtIns.prompts]),
      catalog: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    }),
    catalog: anyItems(builtIns, 6),
    teams: fc.array(
      fc.record({
        policies: fc.record(
          {
            prompts: anyPolicyOf('prompts', builtIns),
            resources: anyPolicyOf('resources', builtIns),
            agents: anyPolicyOf('agents', builtIns),
            tools: anyPolicyOf('tools', builtIns),
          },
          { requiredKeys: [] },
        ),
        items: anyItems(builtIns, 3),
      }),
      { minLength: teamNames.length, maxLength: teamNames.length },
    ),
    members: fc.array(
      fc.record({
        me: anyItems(builtIns, 2),
        capabilities: anyCapabilities,
        seats: fc.array(fc.option(anyCapabilities), {
          minLength: teamNames.length,
          maxLength: teamNames.length,
        }),
        managesEvery: fc.boolean(),
      }),
      { minLength: 2, maxLength: 2 },
    ),
    keys: fc.array(
      fc.record({
        member: fc.oneof(fc.constant(null), fc.constant(0), fc.constant(1)),
        capabilities: anyCapabilities,
        teams: fc.option(fc.subarray(teamNames.map((_, index) => index)), { freq: 2 }),
        defaultAgent: fc.option(fc.nat(), { freq: 2 }),
        isConnection: fc.boolean(),
      }),
      { minLength: 2, maxLength: 3 },
    ),
    commands: fc.array(anyOrganizationCommand(builtIns), { minLength: 1, maxLength: 3 }),
  });

const anyOrganizationCommand = (builtIns: BuiltInItems): fc.Arbitrary<OrganizationCommand> => {
  const member = fc.nat({ max: 1 });
  const team = fc.nat({ max: 1 });
  const policy = fc
    .constantFrom(...ITEM_FAMILIES)
    .chain((family) =>
      fc.record({ family: fc.constant(family), policy: anyPolicyOf(family, builtIns) }),
    );
  return fc.oneof(
    fc.record({ does: fc.constant('leave team' as const), member, team }),
    fc
      .tuple(team, policy)
      .map(([target, one]) => ({ does: 'policy' as const, team: target, ...one })),
    fc.record({ does: fc.constant('select' as const), selected: anySelection(builtIns) }),
    fc.record({ does: fc.constant('promote' as const), team, item: fc.nat() }),
    fc.record({
      does: fc.constant('capabilities' as const),
      member,
      capabilities: anyCapabilities,
    }),
    fc.record({ does: fc.constant('leave' as const), member }),
  );
};

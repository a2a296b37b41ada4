import fc from 'fast-check';

// Plans of worlds refer to things by name, since ids exist only after a service has built them. The
// pools are small, so that tenants use the same names, and policies list names that others use too.

export const ITEM_FAMILIES = ['prompts', 'resources', 'agents', 'tools'] as const;
export type ItemFamily = (typeof ITEM_FAMILIES)[number];

/** Names of items; no built-in tool or platform prompt has one of them. */
export const pool: Readonly<Record<ItemFamily, readonly string[]>> = {
  prompts: ['brief', 'review_it', 'plan'],
  resources: ['notes', 'docs/a', 'docs/a/b', 'docs/c'],
  agents: ['scout', 'writer', 'critic'],
  tools: ['lookup', 'report', 'ping'],
};

export type ConditionPlan =
  | null
  | { capability: string }
  | { family: ItemFamily; name: string }
  | { builtIn: string };

export interface ItemPlan {
  family: ItemFamily;
  name: string;
  /** Conditions of an agent's components. */
  conditions: readonly ConditionPlan[];
}

export interface PolicyPlan {
  mode: 'all' | 'whitelist' | 'blacklist';
  /** Names of own items; for resources, patterns. */
  own: readonly string[];
  /** Ids of built-in tools or platform prompts. */
  builtIns: readonly string[];
}

export interface KeyPlan {
  who: number;
  capabilities: string[];
  policies: Partial<Record<ItemFamily, PolicyPlan>>;
  permissions: string[] | null;
  defaultAgent: string | null;
}

export interface AccountPlan {
  selected: { tools: readonly string[]; prompts: readonly string[] };
  items: readonly ItemPlan[];
}

export interface WorldPlan {
  accounts: readonly AccountPlan[];
  keys: readonly KeyPlan[];
}

/** Changes to a built world; `key` and `who` are taken modulo the number of keys and accounts. */
export type Command =
  | { does: 'select'; who: number; selected: AccountPlan['selected'] }
  | { does: 'add'; who: number; item: ItemPlan }
  | { does: 'remove'; who: number; family: ItemFamily; name: string }
  | { does: 'rename'; who: number; family: ItemFamily; name: string; to: string }
  | { does: 'create'; key: KeyPlan }
  | { does: 'change'; key: number; change: Partial<Omit<KeyPlan, 'who'>> }
  | { does: 'revoke'; key: number };

/** Ids of built-in tools and platform prompts. */
export interface BuiltInItems {
  tools: readonly string[];
  prompts: readonly string[];
}

const PERSONAL_PERMISSIONS: readonly string[] = [
  ...['resources', 'tools', 'prompts', 'agents'].flatMap((noun) =>
    ['view', 'create', 'update', 'delete'].map((verb) => `can_${verb}_${noun}`),
  ),
  'can_view_usage',
  'can_update_settings',
  'can_view_dashboard',
];
export const CAPABILITIES: readonly string[] = ['tools', 'resources', 'prompts', 'agents'];

const PATTERNS = ['**', '*', 'docs/*', 'docs/**', '**/a', 'docs/?', 'n*s', 'docs/**/b', 'Docs/**'];

export const anyCapabilities: fc.Arbitrary<string[]> = fc.oneof(
  fc.constant<string[]>([...CAPABILITIES]),
  fc.subarray([...CAPABILITIES]),
);
export const anyPermissions = fc.oneof(
  fc.constant(null),
  fc.subarray([...PERSONAL_PERMISSIONS], { maxLength: 6 }),
);

/** Generates a policy of one family over the pool and the built-in items. */
export const anyPolicyOf = (family: ItemFamily, builtIns: BuiltInItems): fc.Arbitrary<PolicyPlan> =>
  fc.record({
    mode: fc.constantFrom('all', 'whitelist', 'blacklist'),
    own: fc.subarray(family === 'resources' ? PATTERNS : [...pool[family]]),
    builtIns: fc.subarray([
      ...(family === 'tools' || family === 'prompts' ? builtIns[family] : []),
    ]),
  });

export const anySelection = ({ tools, prompts }: BuiltInItems) =>
  fc.record({ tools: fc.subarray([...tools]), prompts: fc.subarray([...prompts]) });

export const anyItemOf = (family: ItemFamily, builtIns: BuiltInItems): fc.Arbitrary<ItemPlan> => {
  const named = fc
    .constantFrom<ItemFamily>(...ITEM_FAMILIES)
    .chain((chosen) =>
      fc.record({ family: fc.constant(chosen), name: fc.constantFrom(...pool[chosen]) }),
    );
  const condition: fc.Arbitrary<ConditionPlan> = fc.oneof(
    fc.constant(null),
    fc.record({ capability: fc.constantFrom(...CAPABILITIES) }),
    named,
    fc.record({ builtIn: fc.constantFrom(...builtIns.tools) }),
  );
  return fc.record({
    family: fc.constant(family),
    name: fc.constantFrom(...pool[family]),
    conditions: family === 'agents' ? fc.array(condition, { maxLength: 3 }) : fc.constant([]),
  });
};

export const anyKey = (builtIns: BuiltInItems): fc.Arbitrary<KeyPlan> =>
  fc.record({
    who: fc.nat(),
    capabilities: anyCapabilities,
    policies: fc.record(
      {
        prompts: anyPolicyOf('prompts', builtIns),
        resources: anyPolicyOf('resources', builtIns),
        agents: anyPolicyOf('agents', builtIns),
        tools: anyPolicyOf('tools', builtIns),
      },
      { requiredKeys: [] },
    ),
    permissions: anyPermissions,
    defaultAgent: fc.oneof(fc.constant(null), fc.constantFrom(...pool.agents)),
  });

/** Generates two to four accounts with items of all families, and keys. */
export const anyWorld = (
  builtIns: BuiltInItems,
  keys: fc.ArrayConstraints = { minLength: 2, maxLength: 5 },
): fc.Arbitrary<WorldPlan> => {
  const items = fc.uniqueArray(
    fc.oneof(...ITEM_FAMILIES.map((family) => anyItemOf(family, builtIns))),
    {
      minLength: 3,
      maxLength: 8,
      selector: ({ family, name }) => `${family} ${name}`,
    },
  );
  const account = fc.record({ selected: anySelection(builtIns), items });
  return fc.record({
    accounts: fc.array(account, { minLength: 2, maxLength: 4 }),
    keys: fc.array(anyKey(builtIns), keys),
  });
};

export const anyCommand = (builtIns: BuiltInItems): fc.Arbitrary<Command> => {
  const who = fc.nat();
  const anyItem = fc.oneof(...ITEM_FAMILIES.map((family) => anyItemOf(family, builtIns)));
  const existing = fc
    .constantFrom(...ITEM_FAMILIES)
    .chain((family) =>
      fc.record({ family: fc.constant(family), name: fc.constantFrom(...pool[family]) }),
    );
  const change = anyKey(builtIns).chain((plan) =>
    fc
      .subarray(['capabilities', 'policies', 'permissions', 'defaultAgent'] as const, {
        minLength: 1,
        maxLength: 2,
      })
      .map((fields) => Object.fromEntries(fields.map((field) => [field, plan[field]]))),
  );
  return fc.oneof(
    fc.record({ does: fc.constant('select' as const), who, selected: anySelection(builtIns) }),
    fc.record({ does: fc.constant('add' as const), who, item: anyItem }),
    fc
      .tuple(who, existing)
      .map(([account, item]) => ({ does: 'remove' as const, who: account, ...item })),
    fc.tuple(who, existing, fc.nat()).map(([account, item, to]) => ({
      does: 'rename' as const,
      who: account,
      ...item,
      to: pool[item.family][to % pool[item.family].length]!,
    })),
    fc.record({ does: fc.constant('create' as const), key: anyKey(builtIns) }),
    { weight: 2, arbitrary: fc.record({ does: fc.constant('change' as const), key: who, change }) },
    fc.record({ does: fc.constant('revoke' as const), key: who }),
  );
};

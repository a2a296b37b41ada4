import fc from 'fast-check';

const NIL = '00000000-0000-0000-0000-000000000000';
/** Generates mostly the usual value: in a body with two faults, the first would hide the second. */
const mostly = (usual: fc.Arbitrary<unknown>, ...others: fc.Arbitrary<unknown>[]) =>
  fc.oneof(
    { weight: 30, arbitrary: usual },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
const junk = fc.constantFrom<unknown>(null, 5, true, '', 'all', {}, [], [null], [1]);

/** Planned entries of a list: own, built-in or foreign items, or invalid values. */
const idEntry = mostly(
  fc.record({ from: fc.constantFrom('own', 'built-in'), at: fc.nat(), upper: fc.boolean() }),
  fc.record({ from: fc.constant('foreign'), at: fc.nat(), upper: fc.boolean() }),
  fc.constantFrom<unknown>(NIL, 'calculator', `{${NIL}}`, `${NIL} `, NIL.replaceAll('-', ''), 7),
);
const segment = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'é', 'e\u0301', '*', '?', '.'),
    minLength: 1,
    maxLength: 3,
  }),
  fc.constant('**'),
);
const patternEntry = mostly(
  fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/')),
  fc.constantFrom<unknown>('', '/a', 'a/', '{a,b}', '[a]', '!a', 'a\\b', '..', '+(a)', 7, null),
  fc.constantFrom('é'.repeat(256), 'é'.repeat(257)),
);

const anyMode = mostly(
  fc.constantFrom('whitelist', 'blacklist'),
  fc.constant('all'),
  fc.constant('all'),
  junk,
);
/** Generates a list, which may be empty, or a value that is not a list. */
const anyList = (entry: fc.Arbitrary<unknown>) =>
  mostly(fc.array(entry, { minLength: 1, maxLength: 3 }), fc.constant([]), junk);

const anyPolicy = (required: string, others: readonly string[], entry: fc.Arbitrary<unknown>) =>
  mostly(
    fc
      .record({
        mode: fc.option(anyMode, { nil: undefined, freq: 20 }),
        [required]: fc.option(anyList(entry), { nil: undefined, freq: 20 }),
        ...Object.fromEntries(
          others.map((list) => [list, fc.option(anyList(entry), { nil: undefined, freq: 2 })]),
        ),
        extension: fc.option(junk, { nil: undefined }),
      })
      .map((policy) =>
        Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined)),
      ),
    junk,
  );

/** Generates one or two policies of a key, valid or not, by field. */
export const anyPolicies = fc
  .record({
    tool_policy: anyPolicy('tools', ['custom_tools'], idEntry),
    prompt_policy: anyPolicy('prompts', ['platform_prompts'], idEntry),
    agent_policy: anyPolicy('agents', [], idEntry),
    resource_policy: anyPolicy('patterns', [], patternEntry),
  })
  .chain((all) =>
    fc
      .subarray(Object.entries(all), { minLength: 1, maxLength: 2 })
      .map((chosen): Record<string, unknown> => Object.fromEntries(chosen)),
  );

interface Entry {
  from: 'own' | 'built-in' | 'foreign';
  at: number;
  upper: boolean;
}

const listOfFamily = {
  tools: 'tools',
  custom_tools: 'tools',
  prompts: 'prompts',
  platform_prompts: 'prompts',
  agents: 'agents',
} as const;

/** Returns the ids of a family's items, from one of the sources of an entry. */
type IdsFrom = (from: Entry['from'], family: 'tools' | 'prompts' | 'agents') => readonly string[];

/** Resolves planned entries to ids; a missing item becomes the nil id. */
function resolve(idsFrom: IdsFrom, list: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('from' in entry)) return entry;
    const { from, at, upper } = entry as Entry;
    const family = listOfFamily[list as keyof typeof listOfFamily];
    const ids = idsFrom(from, family);
    const id = ids[at % Math.max(1, ids.length)] ?? NIL;
    return upper ? id.toUpperCase() : id;
  });
}

/** Resolves the entries of planned policies, by the field of each policy. */
export const resolvePolicies = (idsFrom: IdsFrom, policies: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(policies).map(([field, policy]) => {
      if (typeof policy !== 'object' || policy === null || Array.isArray(policy))
        return [field, policy];
      const lists = Object.entries(policy).map(([list, value]) => [
        list,
        resolve(idsFrom, list, value),
      ]);
      return [field, Object.fromEntries(lists)];
    }),
  );

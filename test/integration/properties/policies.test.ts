import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { policyStatus } from '../../oracle/policies.ts';
import type { BuiltWorld } from './built-world.ts';
import { builtIns, createStage, twins } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage(2);
});
afterAll(() => stage.close());

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

const anyPolicies = fc
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

/** Resolves planned entries to ids; a missing item becomes the nil id. */
function resolve(built: BuiltWorld, list: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('from' in entry)) return entry;
    const { from, at, upper } = entry as Entry;
    const family = listOfFamily[list as keyof typeof listOfFamily];
    const [own, foreign] = built.oracleWorld.accounts;
    const ids =
      from === 'built-in'
        ? builtIns[family === 'prompts' ? 'prompts' : 'tools']
        : (from === 'own' ? own : foreign)![family].map((item) => item.id);
    const id = ids[at % Math.max(1, ids.length)] ?? NIL;
    return upper ? id.toUpperCase() : id;
  });
}

const resolvePolicies = (built: BuiltWorld, policies: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(policies).map(([field, policy]) => {
      if (typeof policy !== 'object' || policy === null || Array.isArray(policy))
        return [field, policy];
      const lists = Object.entries(policy).map(([list, value]) => [
        list,
        resolve(built, list, value),
      ]);
      return [field, Object.fromEntries(lists)];
    }),
  );

/** Returns the ids that each list may contain: current built-in items and own items. */
const listedFor = (built: BuiltWorld) => (list: string) => {
  const [own] = built.oracleWorld.accounts;
  const ids = {
    tools: builtIns.tools,
    platform_prompts: builtIns.prompts,
    custom_tools: own!.tools.map(({ id }) => id),
    prompts: own!.prompts.map(({ id }) => id),
    agents: own!.agents.map(({ id }) => id),
  }[list];
  return new Set(ids);
};

test(
  'saving a policy returns 200, 400 or 422 as the oracle predicts (P13)',
  async () => {
    const [gateway] = stage.gateways;
    await stage.inWorld(twins(2), async (built) => {
      const path = '/api/keys';
      const body = { name: `key ${randomUUID()}`, mcp_capabilities: [] };
      const { id } = await built.requireStatus<{ id: string }>(gateway, 0, 201, { path, body });
      const seen = new Map<number, number>();
      await checkProperty(
        150,
        fc.asyncProperty(anyPolicies, async (planned) => {
          const policies = resolvePolicies(built, planned);
          const request = { method: 'PATCH', path: `${path}/${id}`, body: policies };

          const { status } = await built.send(gateway, 0, request);

          seen.set(status, (seen.get(status) ?? 0) + 1);
          expect(status, JSON.stringify(policies)).toBe(policyStatus(policies, listedFor(built)));
        }),
      );
      // Each status must occur, or the generated policies are not varied enough.
      expect([...seen.keys()].toSorted((left, right) => left - right)).toEqual([200, 400, 422]);
      await built.requireStatus(gateway, 0, 204, { method: 'DELETE', path: `${path}/${id}` });
    });
  },
  scaledTimeout(60_000),
);

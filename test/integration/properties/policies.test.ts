import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { policyStatus } from '../../oracle/policies.ts';
import { anyPolicies, resolvePolicies } from './any-policies.ts';
import type { BuiltWorld } from './built-world.ts';
import { builtIns, createStage, twins } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage(2);
});
afterAll(() => stage.close());

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
          const [own, foreign] = built.oracleWorld.accounts;
          const policies = resolvePolicies((from, family) => {
            if (from === 'built-in') return builtIns[family === 'prompts' ? 'prompts' : 'tools'];
            return (from === 'own' ? own : foreign)![family].map((item) => item.id);
          }, planned);
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

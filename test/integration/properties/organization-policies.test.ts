import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyCapabilities, anyPolicyOf, ITEM_FAMILIES } from '../../support/worlds/worlds.ts';
import { CAPABILITIES } from '../../support/worlds/worlds.ts';
import type { ItemFamily } from '../../support/worlds/worlds.ts';
import { buildOrganization } from './built-organization.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { oracleWorld } from './organization-comparison.ts';
import {
  ALL,
  createReach,
  expectPartition,
  expectWidening,
  fullOrganization,
  nonEmpty,
  statesOf,
} from './organization-policies.ts';
import { expectPolicyStatuses } from './policy-statuses.ts';
import { builtIns, createStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
let built: BuiltOrganization;
let key: Awaited<ReturnType<typeof createReach>>;
beforeAll(async () => {
  stage = await createStage(1);
  const [owner] = stage.tenants;
  built = await buildOrganization({ owner: owner!, members: [] }, fullOrganization, {
    joins: { add: async () => {} },
    ...{ oracleWorld, upstream: stage.upstream },
  });
  key = await createReach(built);
}, 120_000);
afterAll(() => stage.close());

const anyPolicy = (family: ItemFamily) => anyPolicyOf(family, builtIns).map(nonEmpty(family));
const anyTeamPolicies = fc.record({
  tools: anyPolicy('tools'),
  prompts: anyPolicy('prompts'),
  resources: anyPolicy('resources'),
  agents: anyPolicy('agents'),
});

test(
  'in an organization, widening capabilities, teams, selection, designation or policies removes nothing, and narrowing adds nothing (P11)',
  async () => {
    const plan = fc.record({
      capabilities: anyCapabilities,
      some: anyTeamPolicies,
      more: anyTeamPolicies,
      selected: fc.record({
        tools: fc.subarray([...builtIns.tools]),
        prompts: fc.subarray([...builtIns.prompts]),
      }),
    });
    await checkProperty(
      2,
      fc.asyncProperty(plan, (planned) =>
        expectWidening(key, statesOf(planned), stage.gateways[1]),
      ),
      80_000,
    );
  },
  scaledTimeout(120_000),
);

test(
  'a team’s whitelist and blacklist of the same entries partition what `all` shows of the catalog (P11)',
  async () => {
    const [, gateway] = stage.gateways;
    await key.set({
      ...{ capabilities: CAPABILITIES, teams: [0], selected: builtIns, wide: [] },
      ...{ isCatalogWide: false, policies: [ALL(), ALL()] },
    });
    await checkProperty(
      4,
      fc.asyncProperty(anyTeamPolicies, async (policies) => {
        for (const family of ITEM_FAMILIES)
          await expectPartition(key, built, family, policies[family], gateway);
      }),
    );
  },
  scaledTimeout(90_000),
);

test(
  'saving a team’s policy returns 200, 400 or 422 as the oracle predicts (P13)',
  async () => {
    const seen = await expectPolicyStatuses(built, built.owner, 100);
    expect([...seen].toSorted((a, b) => a - b)).toEqual([200, 400, 422]);
  },
  scaledTimeout(60_000),
);

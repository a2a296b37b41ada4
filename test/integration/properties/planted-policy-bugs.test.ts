import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ResourcePolicy } from '../../../src/policies/item-policies.ts';
import type { Visibility, VisibilityDependencies } from '../../../src/visibility/visibility.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { CAPABILITIES } from '../../support/worlds/worlds.ts';
import { smallCatalog } from './agents-reach.ts';
import { buildOrganization } from './built-organization.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { oracleWorld } from './organization-comparison.ts';
import {
  ALL,
  createReach,
  expectPartition,
  expectWidening,
  fullOrganization,
  statesOf,
} from './organization-policies.ts';
import type { PlannedPolicies } from './organization-policies.ts';
import { expectPolicyStatuses } from './policy-statuses.ts';
import { createStage } from './stage.ts';
import type { Stage } from './stage.ts';

type Create = (dependencies: VisibilityDependencies) => Visibility;
/** Changes the resource policies of teams, as a gateway reads them. */
type Change = (policy: ResourcePolicy) => ResourcePolicy;

const planted = vi.hoisted(() => ({ change: null as unknown, acceptsAnyEntry: false }));

// Wraps the real modules: without a bug, the gateways of this file are the real ones.
vi.mock('../../../src/visibility/visibility.ts', async (importOriginal) => {
  const original = await importOriginal<{ createVisibility: Create }>();
  return {
    ...original,
    createVisibility: (dependencies: VisibilityDependencies) =>
      original.createVisibility(
        planted.change === null ? dependencies : misread(dependencies, planted.change as Change),
      ),
  };
});
vi.mock('../../../src/policies/item-policies.ts', async (importOriginal) => {
  const original = await importOriginal<{
    faultsOfPolicies: (...policies: unknown[]) => unknown;
  }>();
  return {
    ...original,
    faultsOfPolicies: (...policies: unknown[]) =>
      planted.acceptsAnyEntry ? [] : original.faultsOfPolicies(...policies),
  };
});

const misread = (dependencies: VisibilityDependencies, change: Change): VisibilityDependencies => ({
  ...dependencies,
  organizations: {
    ...dependencies.organizations,
    async exposure(id) {
      const exposure = await dependencies.organizations.exposure(id);
      const teams = exposure.teams.map(({ policies, ...team }) => ({
        ...team,
        policies: { ...policies, resource: change(policies.resource) },
      }));
      return { ...exposure, teams };
    },
  },
});

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
afterAll(() => stage?.close());

/** Starts another gateway of the same servers, which misreads policies. */
async function gatewayWith(change: Change | null) {
  planted.change = change;
  try {
    return await stage.world.gateway({ overrides: { catalog: smallCatalog } });
  } finally {
    planted.change = null;
  }
}

const policiesOf = (...own: readonly string[]): PlannedPolicies => ({
  ...ALL(),
  resources: { mode: 'whitelist', own, builtIns: [] },
});
const nothing = { tools: [], prompts: [] };
const states = statesOf({
  ...{ capabilities: CAPABILITIES, selected: nothing },
  ...{ some: policiesOf('docs/**'), more: policiesOf('notes') },
});

async function checkPartition(gateway: Gateway) {
  await key.set({
    ...{ capabilities: CAPABILITIES, teams: [0], selected: nothing, wide: [] },
    ...{ isCatalogWide: false, policies: [ALL(), ALL()] },
  });
  await expectPartition(key, built, 'resources', policiesOf('docs/**').resources, gateway);
}

/** What a check throws; an outage on a busy machine throws other errors. */
const difference = { name: 'AssertionError' };

test('without a bug, widening and partition hold', async () => {
  const gateway = await gatewayWith(null);
  await expectWidening(key, states, gateway);
  await checkPartition(gateway);
}, 120_000);

test('the check of widening fails at a gateway that reads only the last entry of a list (P11, rel:5)', async () => {
  const gateway = await gatewayWith(({ mode, patterns = [] }) =>
    mode === 'all' ? { mode } : { mode, patterns: patterns.slice(-1) },
  );

  await expect(expectWidening(key, states, gateway)).rejects.toMatchObject(difference);
}, 120_000);

test('the check of partitions fails at a gateway that reads a blacklist as a whitelist (P11, rel:5)', async () => {
  const gateway = await gatewayWith((policy) =>
    policy.mode === 'blacklist' ? { ...policy, mode: 'whitelist' } : policy,
  );

  await expect(checkPartition(gateway)).rejects.toMatchObject(difference);
}, 60_000);

test('the check of statuses fails at a gateway that accepts any well-formed policy (P13, rel:5)', async () => {
  planted.acceptsAnyEntry = true;
  try {
    await expect(expectPolicyStatuses(built, built.owner, 100)).rejects.toMatchObject({
      cause: difference,
    });
  } finally {
    planted.acceptsAnyEntry = false;
  }
}, 60_000);

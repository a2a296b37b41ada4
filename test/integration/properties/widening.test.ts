import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CAPABILITIES, anyKey, anyWorld } from '../../support/worlds/worlds.ts';
import type { KeyPlan, PolicyPlan } from '../../support/worlds/worlds.ts';
import { namesShown } from './shown-names.ts';
import { builtIns, createStage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const stage = await closeAfterTests(createStage(2));

const FAMILIES = ['tools', 'prompts', 'resources', 'agents'] as const;

const shown = (secret: string) => namesShown(secret, stage.gateways[1]);

const union = <Entry>(left: readonly Entry[], right: readonly Entry[]) => [
  ...new Set([...left, ...right]),
];

/** Returns a policy that lists the entries of both policies. */
const mergePolicies = (one: PolicyPlan, other: PolicyPlan): PolicyPlan => ({
  mode: one.mode,
  own: union(one.own, other.own),
  builtIns: union(one.builtIns, other.builtIns),
});

test(
  'widening capabilities, lists or the selection removes nothing, and narrowing adds nothing (P11)',
  async () => {
    const [gateway] = stage.gateways;
    const key = anyKey(builtIns).map((plan): KeyPlan => ({ ...plan, who: 0, defaultAgent: null }));
    const capabilities = fc.subarray([...CAPABILITIES]);
    await checkProperty(
      3,
      fc.asyncProperty(
        anyWorld(builtIns),
        key,
        key,
        capabilities,
        async (plan, one, other, more) => {
          await stage.inWorld(
            { ...plan, accounts: plan.accounts.slice(0, 2), keys: [] },
            async (built) => {
              const narrow = await built.create(gateway, one);
              const wide = await built.create(gateway, {
                ...one,
                capabilities: union(one.capabilities, more),
              });
              const before = await shown(narrow.secret);
              expect(before.isSubsetOf(await shown(wide.secret)), 'one more capability').toBe(true);

              for (const part of FAMILIES) {
                const [list, longer] = [one.policies[part], other.policies[part]];
                if (list === undefined || longer === undefined || list.mode === 'all') continue;
                // A policy with an empty list is dropped and becomes `all`.
                if (narrow.oracle.policies[part]?.mode === 'all') continue;
                const policies = { ...one.policies, [part]: mergePolicies(list, longer) };
                const { secret } = await built.create(gateway, { ...one, policies });
                const after = await shown(secret);
                const [less, greater] =
                  list.mode === 'whitelist' ? [before, after] : [after, before];
                expect(less.isSubsetOf(greater), `a longer ${list.mode} of ${part}`).toBe(true);
              }

              const selected = { tools: [...builtIns.tools], prompts: [...builtIns.prompts] };
              await built.runScenario({ does: 'select', who: 0, selected }, gateway);
              expect(before.isSubsetOf(await shown(narrow.secret)), 'more selected').toBe(true);
            },
          );
        },
      ),
    );
  },
  scaledTimeout(60_000),
);

test(
  'a whitelist and a blacklist of the same entries partition what `all` shows (P11)',
  async () => {
    const [gateway] = stage.gateways;
    const capabilities = [...CAPABILITIES];
    const baseKey = { who: 0, capabilities, permissions: null, defaultAgent: null };
    await checkProperty(
      3,
      fc.asyncProperty(anyWorld(builtIns), anyKey(builtIns), async (plan, { policies }) => {
        await stage.inWorld(
          { ...plan, accounts: plan.accounts.slice(0, 2), keys: [] },
          async (built) => {
            const all = await shown(
              (await built.create(gateway, { ...baseKey, policies: {} })).secret,
            );
            for (const part of FAMILIES) {
              const policy = policies[part];
              if (policy === undefined) continue;
              const sides: Set<string>[] = [];
              for (const mode of ['whitelist', 'blacklist'] as const) {
                const createdKey = await built.create(gateway, {
                  ...baseKey,
                  policies: { [part]: { ...policy, mode } },
                });
                if (createdKey.oracle.policies[part]?.mode === mode)
                  sides.push(await shown(createdKey.secret));
              }
              const [listed, unlisted] = sides;
              if (listed === undefined || unlisted === undefined) continue;
              const systemAndOthers = [...listed.intersection(unlisted)].filter(
                (name) =>
                  name.startsWith(`${part} `) && !/ (setup|bootstrap|agent_context)$/.test(name),
              );
              expect(systemAndOthers, `both sides of ${part}`).toEqual([]);
              expect(listed.union(unlisted)).toEqual(all);
            }
          },
        );
      }),
    );
  },
  scaledTimeout(60_000),
);

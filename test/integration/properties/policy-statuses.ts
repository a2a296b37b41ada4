import fc from 'fast-check';
import { expect } from 'vitest';
import { policyStatus } from '../../oracle/policies.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import type { ItemFamily } from '../../support/worlds/worlds.ts';
import { anyPolicies, resolvePolicies } from './any-policies.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { builtIns } from './stage.ts';
import { checkProperty } from './trials.ts';

/**
 * Saves policies of a team, valid or not, and expects the statuses that the oracle predicts (P13).
 * Returns the statuses that occurred.
 */
export async function expectPolicyStatuses(
  { catalog, teams }: BuiltOrganization,
  owner: SignedUp,
  trials: number,
): Promise<ReadonlySet<number>> {
  const [team] = teams;
  const idsOf = (family: ItemFamily) => catalog.items[family].map(({ id }) => id);
  const known: Record<string, readonly string[]> = {
    tools: builtIns.tools,
    platform_prompts: builtIns.prompts,
    custom_tools: idsOf('tools'),
    prompts: idsOf('prompts'),
    agents: idsOf('agents'),
  };
  const seen = new Set<number>();
  await checkProperty(
    trials,
    fc.asyncProperty(anyPolicies, async (planned) => {
      const policies = resolvePolicies((from, family) => {
        if (from === 'built-in') return builtIns[family === 'prompts' ? 'prompts' : 'tools'];
        // Items of a team are foreign to its policy, which is about the catalog.
        return from === 'own' ? idsOf(family) : team!.space.items[family].map(({ id }) => id);
      }, planned);
      for (const [field, body] of Object.entries(policies)) {
        const path = `${team!.space.path}/policies/${field.replace('_policy', '')}`;

        const { status } = await askAs(owner, { method: 'PUT', path, body: body as object });

        seen.add(status);
        // A key's policy may leave out its mode; a team's is replaced as a whole.
        const expected = Object.hasOwn(Object(body), 'mode')
          ? policyStatus({ [field]: body }, (list) => new Set(known[list]))
          : 400;
        expect(status, `${field} ${JSON.stringify(body)}`).toBe(expected);
      }
    }),
  );
  return seen;
}

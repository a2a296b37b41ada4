import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LookUp } from '../../../src/authz/engine/client.ts';
import { createExplain } from '../../../src/authz/decisions/explain.ts';
import { loadModel } from '../../../src/authz/engine/model.ts';
import type { Tuple } from '../../../src/authz/tuple.ts';

const membership = 'membership:o.u';
// The maximum for a member: 50 teams, and 20 roles in each.
const teams = Array.from({ length: 50 }, (_, index) => `team_seat:t${index}.u`);
const roleNumbers = Array.from({ length: 20 }, (_, index) => index);
const tuple = (user: string, relation: string, object: string): Tuple => ({
  user,
  relation,
  object,
});
const stored: Tuple[] = [
  ...['runs_here', 'declared_tools', 'follows_teams'].map((relation) =>
    tuple('api_key:k', relation, membership),
  ),
  tuple('account:u', 'person', membership),
  tuple('api_key:k', 'principal', 'account:u'),
  ...teams.flatMap((seat, index) => [
    tuple(seat, 'team_seat', membership),
    tuple(membership, 'holder', seat),
    tuple(membership, 'joined', seat),
    ...roleNumbers.map((number) => tuple(`team_role:r${index}-${number}`, 'role', seat)),
  ]),
  tuple('everyone:live#any', 'mcp_tools', 'team_role:r49-19'),
  tuple('api_key:*', 'any', 'everyone:live'),
];

/** Returns a reader that records its reads in order, and the maximum number of concurrent reads. */
function createReader() {
  const reads: LookUp[] = [];
  let [running, max] = [0, 0];
  return {
    reads,
    max: () => max,
    async lookUp(filter: LookUp): Promise<Tuple[]> {
      reads.push(filter);
      max = Math.max(max, (running += 1));
      await setImmediate();
      running -= 1;
      return stored.filter((one) =>
        Object.entries(filter).every(([field, value]) => one[field as keyof Tuple] === value),
      );
    },
  };
}

test('a member of fifty teams can be explained, with at most four concurrent reads and nearer objects first', async () => {
  const model = await loadModel();
  const { reads, max, lookUp } = createReader();
  const explain = createExplain({ lookUp, readModel: async () => ({ id: 'm', ...model }) });

  const proofs = await explain({ subject: 'api_key:k', context: membership }, ['can_use_tools']);

  expect(proofs.get('can_use_tools')?.holds).toBe(true);
  const types = reads.map(({ object }) => object.split(':')[0]);
  expect(types.length).toBeGreaterThan(2 * teams.length);
  expect(types.lastIndexOf('team_seat')).toBeLessThan(types.indexOf('team_role'));
  expect(max()).toBeLessThanOrEqual(4);
});

import { expect, test } from 'vitest';
import type { Check } from '../../../src/authz/authz.ts';
import type { AgentPrincipal } from '../../../src/caller/principal.ts';
import type { View } from '../../../src/visibility/decide.ts';
import { createPermissions } from '../../../src/visibility/held-permissions.ts';

/** Returns a principal of an organization, with a view of 200 teams, and the checks it causes. */
function inTeams(person: string | null) {
  const sentChecks: Check[] = [];
  const { hasPermission } = createPermissions(
    {
      check: async (_caller, relations) => {
        sentChecks.push(...relations.map((relation) => ({ object: 'membership:o.p', relation })));
        return new Map(relations.map((relation) => [relation, false]));
      },
      checkEach: async (_caller, checks) => {
        sentChecks.push(...checks);
        return checks.map(() => true);
      },
    },
    () => [],
    [],
  );
  const places = Array.from({ length: 200 }, (_, n) => ({ space_id: `t${n}`, exposure: null }));
  const credential = { type: 'org_key', id: 'k' };
  const caller = { person, context: 'service:o.k', credential } as unknown as AgentPrincipal;
  const view = { places } as unknown as View;
  return { sentChecks, has: () => hasPermission(caller, view, 'can_tools_create') };
}

test('a key without a person is checked in one of its 200 teams, since it holds the same in all', async () => {
  const { sentChecks, has } = inTeams(null);

  expect(await has()).toBe(true);
  expect(sentChecks).toHaveLength(1);
});

test('a person’s credential is checked once, since it may write to the person’s own space', async () => {
  const { sentChecks, has } = inTeams('p');

  expect(await has()).toBe(false);
  expect(sentChecks.map(({ relation }) => relation)).toEqual(['participant']);
});

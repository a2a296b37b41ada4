import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grantName } from '../../../src/authz/permissions.ts';
import type { SessionPrincipal } from '../../../src/caller/principal.ts';
import { managementEntries } from '../../../src/mcp/management/entries.ts';
import { createVisibility } from '../../../src/visibility/visibility.ts';
import { noCustomTools } from '../../support/worlds/no-custom-tools.ts';
import { openPolicies } from '../../support/worlds/policies.ts';
import { noOrganizations } from '../../support/worlds/no-organizations.ts';

const tools = managementEntries.map(({ tool }) => tool);
const relations = [...new Set(tools.flatMap(({ requires }) => requires?.permission ?? []))];

const creator: SessionPrincipal = {
  credential: { kind: 'session', id: 's' },
  subject: 'user:u',
  context: 'account:u',
  person: 'u',
  quota_owner: { kind: 'account', id: 'u', plan: 'free' },
  organization: null,
  scopes: [{ kind: 'account', id: 'u', revision: 1, applied: 1, nonce: 's', content: 0 }],
  email: 'u@example.com',
  auth_time: '2026-01-01T00:00:00.000Z',
};

const generation = {};
const visibilityWith = (held: readonly string[]) =>
  createVisibility({
    organizations: noOrganizations,
    runnable: noCustomTools,
    authz: {
      checkEach: async () => [],
      requireCurrent: async () => {},
      generation: () => generation,
      context: () => Promise.reject(new Error('A draft has no credential to check.')),
      check: async (_caller, names) => new Map(names.map((name) => [name, held.includes(name)])),
    },
    catalog: { tools: () => tools, prompts: () => [], version: 'v1' },
    readContents: async () => ({
      selected_tools: new Set(tools.map(({ id }) => id)),
      selected_prompts: new Set(),
      items: [],
      quarantined: new Set(),
    }),
    cached: false,
  });

test('a draft shows the tools whose permission it grants and its creator holds', async () => {
  const some = fc.subarray(relations);
  await fc.assert(
    fc.asyncProperty(some, some, async (held, granted) => {
      const visibility = visibilityWith(held);
      const view = (await visibility.drafts(creator))({
        ...openPolicies,
        mcp_capabilities: ['tools', 'agents'],
        grants: [{ scope: { type: 'personal' }, permissions: granted.map(grantOf) }],
      });

      const expected = tools.filter(({ requires: { permission } = {} }) =>
        permission === undefined ? true : held.includes(permission) && granted.includes(permission),
      );
      const shown = visibility.list(view, 'tool').map(({ name }) => name);
      expect(shown).toEqual(expected.map(({ name }) => name).toSorted());
    }),
  );
});

const grantOf = (relation: string) => grantName('account', relation.slice('can_'.length))!;

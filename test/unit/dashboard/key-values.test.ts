import { expect, test } from 'vitest';
import {
  draftOf,
  editOf,
  emptyValues,
  keyFieldOf,
  organizationDraftOf,
  PERSONAL,
  valuesOf,
  withGrant,
} from '../../../src/dashboard/keys/key-values.ts';
import type { Key } from '../../../src/dashboard/keys/key-values.ts';

const ORGANIZATION = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';

const common = {
  ...{ id: OTHER, name: 'Key', secret_prefix: 'sk_abcd', mcp_capabilities: [] },
  ...{ default_agent: { available: false as const }, status: 'active' as const },
  ...{ allowed_addresses: null, hours: null },
  tool_listing: 'search' as const,
  ...{ expires_at: null, last_used_at: null, created_at: '2026-01-01T00:00:00.000Z' },
};
const team = { id: OTHER, name: null, available: false };
const inOrganization = { scope: { type: 'org' as const, org_id: ORGANIZATION } };
const personal = { scope: { type: 'personal' as const } };

const KEYS: Record<string, Key> = {
  'of a person': {
    ...{ ...common, org_scope: null },
    grants: [
      { ...inOrganization, permissions: [] },
      { ...personal, permissions: ['can_view_usage'] },
    ],
    tool_policy: { mode: 'whitelist', tools: [OTHER] },
    prompt_policy: { mode: 'all' },
    resource_policy: { mode: 'blacklist', patterns: ['docs/**'] },
    agent_policy: { mode: 'all' },
  },
  'of a person in an organization': {
    ...{ ...common, grants: [], org_scope: ORGANIZATION },
    ...{ follows_memberships: false, teams: [team] },
  },
  'of an organization': {
    ...{ ...common, organization_id: ORGANIZATION, created_by: null },
    ...{ grants: [], follows_teams: true, teams: [team] },
  },
};

test.each(Object.keys(KEYS))('a key %s that is not changed sends nothing', (kind) => {
  const key = KEYS[kind]!;
  expect(editOf(key, valuesOf(key))).toEqual({});
});

test('a choice that is taken back sends nothing', () => {
  const key = KEYS['of a person']!;
  const values = valuesOf(key);
  const without = withGrant(values.grants, PERSONAL, []);
  expect(editOf(key, { ...values, grants: without })).toEqual({
    grants: [{ ...inOrganization, permissions: [] }],
  });
  const restored = withGrant(without, PERSONAL, ['can_view_usage']);
  expect(editOf(key, { ...values, grants: restored })).toEqual({});
});

test('single teams are sent, and null for all of them', () => {
  const key = KEYS['of a person in an organization']!;
  const values = valuesOf(key);
  expect(values.team_ids).toEqual([OTHER]);
  expect(editOf(key, { ...values, team_ids: null })).toEqual({ team_ids: null });
  expect(valuesOf(KEYS['of an organization']!).team_ids).toBeNull();
});

test('a key in an organization is sent without policies, and an organization’s without a place', () => {
  const values = { ...emptyValues('Key'), org_scope: ORGANIZATION };
  expect(Object.keys(draftOf(values)).filter((field) => field.endsWith('_policy'))).toEqual([]);
  expect(draftOf(values)).toMatchObject({ org_scope: ORGANIZATION, team_ids: null });
  expect(organizationDraftOf(values)).not.toHaveProperty('org_scope');
});

test('an error in a grant belongs to the context of that grant', () => {
  const grants = { [ORGANIZATION]: ['can_view_organization'], [PERSONAL]: ['can_view_usage'] };
  const values = { ...emptyValues('Key'), grants };
  const { grants: sent } = draftOf(values);
  for (const [index, { scope }] of sent.entries())
    expect(keyFieldOf(['grants', String(index), 'permissions', '0'], values)).toBe(
      `grants.${scope.type === 'org' ? scope.org_id : PERSONAL}`,
    );
  expect(keyFieldOf(['tool_policy', 'tools'], values)).toBe('tool_policy');
  expect(keyFieldOf(['unknown'], values)).toBeNull();
});

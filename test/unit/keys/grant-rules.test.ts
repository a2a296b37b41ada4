import { describe, expect, test } from 'vitest';
import { PERMISSION_COUNT, personalPermissions } from '../../../src/authz/permissions.ts';
import { grantProblems } from '../../../src/keys/rules.ts';
import type { Grant } from '../../../src/keys/schema.ts';
import { apiKeys } from '../../../src/organizations/credentials/kinds.ts';
import { accountTuples } from '../../../src/organizations/credentials/tuples.ts';

const org = '0190aaaa-0000-7000-8000-000000000001';
const personal = (...permissions: string[]): Grant => ({
  scope: { type: 'personal' },
  permissions,
});
const organization = (id: string, ...permissions: string[]): Grant => ({
  scope: { type: 'org', org_id: id },
  permissions,
});
const findProblems = (...grants: Grant[]) =>
  grantProblems(grants).map(({ code, detail }) => [code, (detail as { pointer: string }).pointer]);

test('every personal permission with a grant name can be granted (G2)', () => {
  const names = personalPermissions.flatMap(({ grant }) => grant ?? []);

  expect(names).toHaveLength(19);
  expect(findProblems(personal(...names))).toEqual([]);
});

test('a second personal grant is refused at its own pointer (G4, rel:K5)', () => {
  expect(findProblems(personal('can_view_tools'), personal())).toEqual([
    ['duplicate_grant', '/grants/1'],
  ]);
});

test('a second grant for one organization is refused at its own pointer (G4, rel:K5)', () => {
  expect(findProblems(organization(org), organization(org))).toEqual([
    ['duplicate_grant', '/grants/1'],
  ]);
});

test('contexts are checked before permissions, and at most twenty problems are reported (rel:B7-6)', () => {
  const names = Array.from({ length: PERMISSION_COUNT }, () => '');
  const grants = Array.from({ length: 51 }, () => personal(...names));

  expect(findProblems(personal(''), personal())).toEqual([
    ['duplicate_grant', '/grants/1'],
    ['unknown_permission', '/grants/0/permissions/0'],
  ]);
  expect(findProblems(...grants)).toHaveLength(20);
  expect(findProblems(personal(...names))).toHaveLength(20);
});

test('an unknown permission and one of another context are refused alike (rel:K7)', () => {
  expect(
    findProblems(personal('can_fly', 'can_view_organization_members', 'can_view_tools')),
  ).toEqual([
    ['unknown_permission', '/grants/0/permissions/0'],
    ['unknown_permission', '/grants/0/permissions/1'],
  ]);
  expect(findProblems(organization(org, 'can_view_usage'))).toContainEqual([
    'unknown_permission',
    '/grants/0/permissions/0',
  ]);
});

test('an unknown permission is refused with the name of one of its context', () => {
  const messages = grantProblems([personal('can_fly'), organization(org, 'can_fly')]).map(
    ({ message }) => message,
  );

  expect(messages).toEqual([
    expect.stringContaining('one such as `can_view_prompts`'),
    expect.stringContaining('one such as `can_view_organization_prompts`'),
  ]);
});

test('the MCP settings cannot be granted (rel:K7)', () => {
  expect(findProblems(personal('can_update_mcp_settings', 'can_view_mcp_settings'))).toHaveLength(
    2,
  );
});

test.each([
  'can_delete_organization',
  'can_update_organization_billing',
  'can_transfer_organization_ownership',
])('%s cannot be granted (G3, rel:K7)', (name) => {
  expect(findProblems(personal(name))).toEqual([
    ['permission_not_grantable', '/grants/0/permissions/0'],
  ]);
  expect(findProblems(organization(org, name))).toContainEqual([
    'permission_not_grantable',
    '/grants/0/permissions/0',
  ]);
});

describe('tuples of a key', () => {
  const key = {
    ...{ id: 'k', grants: [], mcp_capabilities: [] },
    ...{ runs_in: null, follows_teams: false, has_own_authority: false, scopes: null },
  };
  const relations = (fields: object) =>
    accountTuples(apiKeys, { ...key, ...fields }, 'u').map((one) => one.relation);

  test('a key without grants runs in its account and acts for it, but has nothing else', () => {
    expect(accountTuples(apiKeys, key, 'u')).toEqual([
      { user: 'api_key:k', relation: 'runs_here', object: 'account:u' },
      { user: 'api_key:k', relation: 'principal', object: 'account:u' },
    ]);
  });

  test('grants are written as stored, without implied permissions (G1, rel:K8)', () => {
    expect(relations({ grants: [personal('can_update_tools', 'can_view_usage')] })).toEqual([
      'runs_here',
      'granted',
      'carried_tools_update',
      'carried_usage_read',
      'principal',
    ]);
  });

  test('a personal grant without permissions is still a grant (G6)', () => {
    expect(relations({ grants: [personal()] })).toContain('granted');
    expect(relations({ grants: [organization(org)] })).not.toContain('granted');
  });

  test('a key that runs in an organization uses nothing in its account', () => {
    const scoped = { runs_in: org, follows_teams: true, mcp_capabilities: ['tools'] };
    expect(relations({ ...scoped, grants: [personal('can_view_tools')] })).toEqual([
      'granted',
      'carried_tools_read',
      'principal',
    ]);
  });

  test('capabilities are declared', () => {
    expect(relations({ mcp_capabilities: ['tools', 'agents'] })).toEqual([
      'runs_here',
      'declared_tools',
      'declared_agents',
      'principal',
    ]);
  });
});

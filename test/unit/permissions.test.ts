import { describe, expect, test } from 'vitest';
import type { PermissionContext, RelationOf } from '../../src/authz/permissions.ts';
import {
  capabilityByScope,
  isOwnerSessionGrant,
  organizationPermissionByGrant,
  permissionByScope,
  permissions,
  personalPermissionByGrant,
  personalPermissions,
  scopeClosure,
  scopesIn,
  sourcesOf,
  teamPermissionByGrant,
} from '../../src/authz/permissions.ts';
import { systemRoles } from '../../src/authz/system-roles.ts';

const all = [...permissions.personal, ...permissions.organization, ...permissions.team];
const list = (text: string) => text.trim().split(/\s+/);

// Written by hand from the specification's tables of scopes, not derived from the table under test.
const content = ['resources', 'tools', 'prompts', 'agents'];
const crud = ['read', 'create', 'update', 'delete'];
const scopes = (nouns: string[], verbs: string[]) =>
  nouns.flatMap((noun) => verbs.map((verb) => `${verb}:${noun}`));
const specified: Record<PermissionContext, string[]> = {
  personal: [
    ...scopes(content, crud),
    ...list('read:usage read:dashboard write:settings read:mcp_settings write:mcp_settings'),
  ],
  organization: [
    ...list('read:organization write:organization'),
    ...list('read:organization_mcp_settings write:organization_mcp_settings'),
    ...scopes(['organization_members'], ['read', 'invite', 'remove', 'update']),
    ...scopes(['organization_roles', 'organization_team_roles'], crud),
    ...list('read:organization_teams write:organization_teams write:all_organization_teams'),
    ...scopes(['organization_keys'], ['read', 'create', 'update', 'revoke']),
    ...scopes(['organization_oauth_clients'], crud),
    ...scopes(
      content.map((noun) => `organization_${noun}`),
      crud,
    ),
    ...list('read:organization_usage read:organization_billing'),
    ...list('read:organization_sso write:organization_sso'),
  ],
  team: [
    ...scopes(['team_members', 'team_agents', 'team_roles'], crud),
    ...scopes(['team_resources', 'team_tools', 'team_prompts'], [...crud, 'promote']),
    ...list('read:team_usage update:team_general delete:team_general'),
    ...scopes(list('team_policies team_resource_policies team_tool_policies'), ['read', 'write']),
    ...scopes(list('team_prompt_policies team_agent_policies'), ['read', 'write']),
  ],
};

describe('the table of permissions', () => {
  test.each([
    ['personal', 21],
    ['organization', 47],
    ['team', 40],
  ] as const)('%s has exactly the %i scopes of the specification', (context, count) => {
    const named = permissions[context].flatMap(({ scope }) => scope ?? []);

    expect(named).toHaveLength(count);
    expect(named.toSorted()).toEqual(specified[context].toSorted());
  });

  test('scopes and grants are unique, and relations are unique within their context', () => {
    const grants = all.map(({ grant }) => grant).filter((grant) => grant !== null);

    expect(new Set(all.map(({ scope }) => scope)).size).toBe(all.length);
    expect(all.filter(({ scope }) => scope === null)).toHaveLength(1);
    expect(new Set(grants).size).toBe(grants.length);
    for (const context of Object.values(permissions)) {
      expect(new Set(context.map(({ relation }) => relation)).size).toBe(context.length);
    }
  });

  test('the personal grant names are those of the specification; mcp_settings is only a scope', () => {
    const expected = [
      ...content.flatMap((noun) =>
        ['view', 'create', 'update', 'delete'].map((verb) => `can_${verb}_${noun}`),
      ),
      ...list('can_view_usage can_update_settings can_view_dashboard'),
    ];
    const named = personalPermissions.map(({ grant }) => grant).filter((grant) => grant !== null);

    expect(named.toSorted()).toEqual(expected.toSorted());
    expect(permissionByScope('write:mcp_settings')?.grant).toBeNull();
  });

  test.each([
    ['can_view_organization_members', 'members_read'],
    ['can_view_organization_api_keys', 'keys_read'],
    ['can_invite_organization_members', 'members_invite'],
    ['can_remove_organization_members', 'members_remove'],
    ['can_view_organization_roles', 'roles_read'],
    ['can_update_organization_roles', 'roles_update'],
  ])('the organization grant %s maps to %s', (grant, relation) => {
    expect(organizationPermissionByGrant(grant)?.relation).toBe(relation);
  });

  test('three names are never grantable and are not scopes of any context (G3)', () => {
    const names = list(`can_delete_organization can_update_organization_billing
      can_transfer_organization_ownership`);

    for (const name of names) {
      expect(isOwnerSessionGrant(name)).toBe(true);
      expect(organizationPermissionByGrant(name)).toBeNull();
    }
    expect(isOwnerSessionGrant('can_view_organization')).toBe(false);
    expect(permissionByScope('update:organization_billing')).toBeNull();
  });

  test('a name of another context, a wildcard and an inherited property are not recognized (SC1)', () => {
    expect(personalPermissionByGrant('can_view_organization_members')).toBeNull();
    expect(organizationPermissionByGrant('can_view_team_members')).toBeNull();
    expect(teamPermissionByGrant('can_view_team_members')?.relation).toBe('members_read');
    for (const name of ['*', 'read:*', 'can_*', 'constructor', '__proto__', '']) {
      expect(personalPermissionByGrant(name)).toBeNull();
      expect(permissionByScope(name)).toBeNull();
      expect(capabilityByScope(name)).toBeNull();
    }
  });

  test('only the four exact names give a capability (SC1)', () => {
    expect(list('mcp_tools mcp_resources mcp_prompts mcp_agents').map(capabilityByScope)).toEqual([
      'tools',
      'resources',
      'prompts',
      'agents',
    ]);
    for (const name of ['mcp_', 'mcp_tool', 'mcp_*', 'MCP_TOOLS', 'tools', 'read:agents']) {
      expect(capabilityByScope(name)).toBeNull();
    }
  });
});

/** Returns these permissions and all they imply. */
function closure<L extends PermissionContext>(
  context: L,
  relations: Iterable<RelationOf[L]>,
): Set<string> {
  const held = new Set<string>(relations);
  // Implied permissions imply further ones: repeats until nothing is added.
  for (let size = 0; size < held.size;) {
    size = held.size;
    for (const permission of permissions[context])
      if (sourcesOf(permission).some((source) => held.has(source))) held.add(permission.relation);
  }
  return held;
}

describe('implied permissions', () => {
  test('a permission to change implies the read permission of its own family and nothing else (G1)', () => {
    expect(closure('personal', ['tools_delete'])).toEqual(new Set(['tools_delete', 'tools_read']));
    expect(closure('organization', ['members_invite'])).toEqual(
      new Set(['members_invite', 'members_read']),
    );
    expect(closure('team', ['prompts_promote'])).toEqual(
      new Set(['prompts_promote', 'prompts_read']),
    );
  });

  test('a read permission, or one without a matching read permission, implies nothing (G1)', () => {
    expect(closure('organization', ['keys_read', 'all_teams_write', 'billing_read'])).toEqual(
      new Set(['keys_read', 'all_teams_write', 'billing_read']),
    );
    expect(closure('team', ['general_delete'])).toEqual(new Set(['general_delete']));
  });

  test('team_policies implies the four policy families, and one family never implies another (G1)', () => {
    const families = list('resource_policies tool_policies prompt_policies agent_policies');
    const reads = ['policies_read', ...families.map((family) => `${family}_read`)];
    const writes = ['policies_write', ...families.map((family) => `${family}_write`)];

    expect(closure('team', ['policies_read'])).toEqual(new Set(reads));
    expect(closure('team', ['policies_write'])).toEqual(new Set([...reads, ...writes]));
    expect(closure('team', ['tool_policies_write'])).toEqual(
      new Set(['tool_policies_write', 'tool_policies_read']),
    );
  });

  test('who may update an organization may read its audit log, which has no scope', () => {
    const audit = organizationPermissionByGrant('can_view_organization_audit');

    expect(closure('organization', ['profile_write'])).toEqual(
      new Set(['profile_write', 'profile_read', 'audit_read']),
    );
    expect(closure('organization', ['audit_read'])).toEqual(new Set(['audit_read']));
    expect(audit).toMatchObject({ relation: 'audit_read', scope: null });
    expect(scopesIn('organization').size).toBe(47 + 40 + 4);
    expect(scopeClosure(['write:organization'])).toEqual([
      'read:organization',
      'write:organization',
    ]);
  });

  test('in an organization only read permissions are implied', () => {
    const implied = permissions.organization.filter(
      (permission) => sourcesOf(permission).length > 0,
    );

    expect(implied.every(({ verb }) => verb === 'read')).toBe(true);
  });
});

test('the system roles have 53, 52, 1 and 40 flags, and Member and team_admin have no capability (C4)', () => {
  const flags = Object.values(systemRoles).map((role) => new Set<string>(role));
  const named = list('mcp_tools mcp_resources mcp_prompts mcp_agents');

  expect(flags.map(({ size }) => size)).toEqual([53, 52, 1, 40]);
  expect(flags.map((role) => named.filter((name) => role.has(name)).length)).toEqual([4, 4, 0, 0]);
});

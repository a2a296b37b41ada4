/** Generates `docs/permissions.md` from the table of permissions; `npm test -- -u` rewrites it. */
import type { Permission } from '../../src/authz/permissions.ts';
import {
  capabilities,
  organizationPermissions,
  ownerSessionPermissions,
  personalPermissions,
  scopeOfCapability,
  sourcesOf,
  teamPermissions,
} from '../../src/authz/permissions.ts';
import { systemRoles } from '../../src/authz/system-roles.ts';
import type { SystemRole } from '../../src/authz/system-roles.ts';

export function permissionMatrix(): string {
  return [
    '# Permissions',
    '',
    'Generated from `src/authz/permissions.ts`. Each permission has one OAuth scope, one name in the',
    'grants of keys and one name in the model; requests check `can_<name>` in OpenFGA. Each permission',
    'in *given by* includes this one; a read permission may also be granted alone. Nothing else',
    'is implied. A permission without a scope is for sessions and keys: no access token has it, not even',
    'one with a scope that gives it to keys.',
    '',
    "A dashboard session carries everything; its person's roles decide what it may do.",
    ...section(
      'Personal',
      personalPermissions,
      [],
      "Permissions in a person's own account. A dash means that no key can be granted it.",
    ),
    ...section(
      'Organization',
      organizationPermissions,
      ['org_role:owner', 'org_role:admin', 'org_role:member'],
      '`write:all_organization_teams` also gives every team permission, on bound teams only.',
    ),
    ...ownerSession(),
    ...section(
      'Team',
      teamPermissions,
      ['team_role:team_admin'],
      'A credential also needs an active binding to the team.',
    ),
    ...capabilityRows(),
    '',
  ].join('\n');
}

function section(
  title: string,
  list: readonly Permission[],
  roles: SystemRole[],
  sentence: string,
): string[] {
  const header = ['scope', 'grant', 'name', 'given by', ...roles.map(roleName)];
  const rows = list.map((permission) => [
    permission.scope === null ? '–' : `\`${permission.scope}\``,
    permission.grant === null ? '–' : `\`${permission.grant}\``,
    permission.relation,
    sourcesOf(permission).join(', '),
    ...roles.map((role) => mark(role, permission.relation)),
  ]);
  return ['', `## ${title} (${list.length})`, '', sentence, '', ...table(header, rows)];
}

function ownerSession(): string[] {
  const rows = ownerSessionPermissions.map(({ grant, relation }) => [`\`${grant}\``, relation]);
  return [
    '',
    `### Never in a grant or a scope (${ownerSessionPermissions.length})`,
    '',
    "These belong to the Owner's own session; a grant that names one is refused with 422.",
    '',
    ...table(['name', 'model'], rows),
  ];
}

function capabilityRows(): string[] {
  const roles: SystemRole[] = [
    'org_role:owner',
    'org_role:admin',
    'org_role:member',
    'team_role:team_admin',
  ];
  const rows = capabilities.map((capability) => [
    capability,
    `\`${scopeOfCapability(capability)}\``,
    ...roles.map((role) => mark(role, `mcp_${capability}`)),
  ]);
  return [
    '',
    `## MCP capabilities (${capabilities.length})`,
    '',
    'No permission gives a capability and no capability gives a permission.',
    '',
    ...table(['capability', 'scope', ...roles.map(roleName)], rows),
  ];
}

function mark(role: SystemRole, flag: string): string {
  const flags: readonly string[] = systemRoles[role];
  return flags.includes(flag) ? 'yes' : '';
}

function roleName(role: SystemRole): string {
  return role.slice(role.indexOf(':') + 1);
}

function table(header: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '-')), ...rows.map(line)];
}

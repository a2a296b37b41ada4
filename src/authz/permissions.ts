/**
 * The only table of permissions: OAuth scope, name in a key's grants, OpenFGA relation, implied
 * read permission. The model's families, the system roles, the validation of grants and
 * `docs/permissions.md` derive from it, and the gateway does not start with a route that names a
 * relation it lacks. Imports only the rule of their names, so that the dashboard can use it.
 */

import { permissionsOf } from './permission-names.ts';
import type { Permission, PermissionContext } from './permission-names.ts';

export type { Permission, PermissionContext } from './permission-names.ts';

const crud = ['read', 'create', 'update', 'delete'] as const;
const readWrite = ['read', 'write'] as const;
const contentFamilies = ['resources', 'tools', 'prompts', 'agents'] as const;
const policyFamilies = [
  'resource_policies',
  'tool_policies',
  'prompt_policies',
  'agent_policies',
] as const;

const personal = permissionsOf('personal', (family) => family);
const organization = permissionsOf('organization', (family) => `organization_${family}`);
const team = permissionsOf('team', (family) => `team_${family}`);

/** The 21 permissions of a person in their own account. */
export const personalPermissions = [
  ...contentFamilies.flatMap((family) => personal(family, crud)),
  ...personal('usage', ['read']),
  ...personal('dashboard', ['read']),
  ...personal('settings', ['write']),
  ...personal('mcp_settings', readWrite, { grantable: false }),
];

/** The 48 permissions that a role of an organization can contain; 47 of them have a scope. */
export const organizationPermissions = [
  ...organization('profile', readWrite, { noun: 'organization' }),
  ...organization('mcp_settings', readWrite),
  ...organization('members', ['read', 'invite', 'remove', 'update']),
  ...organization('roles', crud),
  ...organization('team_roles', crud),
  ...organization('teams', readWrite),
  ...organization('all_teams', ['write'], { noun: 'all_organization_teams' }),
  ...organization('keys', ['read', 'create', 'update', 'revoke'], {
    grantNoun: 'organization_api_keys',
  }),
  ...organization('oauth_clients', crud),
  ...contentFamilies.flatMap((family) => organization(family, crud)),
  ...organization('usage', ['read']),
  ...organization('billing', ['read']),
  ...organization('sso', readWrite),
  ...organization('audit', ['read'], { hasScope: false }),
];

/** The 40 permissions that a role of a team can contain. */
export const teamPermissions = [
  ...team('members', crud),
  ...(['resources', 'tools', 'prompts'] as const).flatMap((family) =>
    team(family, [...crud, 'promote']),
  ),
  ...team('agents', crud),
  ...team('usage', ['read']),
  ...team('roles', crud),
  ...team('general', ['update', 'delete']),
  ...team('policies', readWrite),
  ...policyFamilies.flatMap((family) => team(family, readWrite)),
];

export type PersonalRelation = (typeof personalPermissions)[number]['relation'];
export type OrganizationRelation = (typeof organizationPermissions)[number]['relation'];
export type TeamRelation = (typeof teamPermissions)[number]['relation'];

export interface RelationOf {
  personal: PersonalRelation;
  organization: OrganizationRelation;
  team: TeamRelation;
}

export const permissions: {
  readonly [L in PermissionContext]: readonly Permission<RelationOf[L]>[];
} = {
  personal: personalPermissions,
  organization: organizationPermissions,
  team: teamPermissions,
};
/** No list of names needs to be longer. */
export const PERMISSION_COUNT = Object.values(permissions).flat().length;

/** A credential that carries this permission has all team permissions in its teams (SC3). */
export const everyTeamRelation = 'all_teams_write' satisfies OrganizationRelation;
/** The relation of a session that has it: in all teams, also those the person is not in. */
export const MANAGES_EVERY_TEAM = 'can_manage_every_team';

export const capabilities = ['tools', 'resources', 'prompts', 'agents'] as const;
export type Capability = (typeof capabilities)[number];

/** Permissions that only the Owner's session has; they are refused in every grant (G3). */
export const ownerSessionPermissions = [
  { relation: 'delete', grant: 'can_delete_organization' },
  { relation: 'billing_update', grant: 'can_update_organization_billing' },
  { relation: 'ownership_transfer', grant: 'can_transfer_organization_ownership' },
] as const;

const byGrant = {
  personal: indexBy(personalPermissions, (permission) => permission.grant),
  organization: indexBy(organizationPermissions, (permission) => permission.grant),
  team: indexBy(teamPermissions, (permission) => permission.grant),
};
const byScope = indexBy(
  [...personalPermissions, ...organizationPermissions, ...teamPermissions],
  (permission) => permission.scope,
);

export function personalPermissionByGrant(name: string) {
  return byGrant.personal.get(name) ?? null;
}

/** Returns the name of a relation in a key's grants; null if no grant has it. */
export function grantName(on: PermissionContext | 'account', relation: string): string | null {
  return permissionOn(on, relation)?.grant ?? null;
}

/** Returns the OAuth scope of a relation; null if it has none, or the table does not have it. */
export function scopeName(on: PermissionContext | 'account', relation: string): string | null {
  return permissionOn(on, relation)?.scope ?? null;
}

/** Returns whether the table has this permission, for the kind of object that a route names. */
export const isPermission = (on: PermissionContext | 'account', relation: string): boolean =>
  permissionOn(on, relation) !== undefined;

const permissionOn = (
  on: PermissionContext | 'account',
  relation: string,
): Permission | undefined =>
  permissions[on === 'account' ? 'personal' : on].find((one) => one.relation === relation);

/** The name of `everyTeamRelation` in roles and grants. */
export const everyTeamGrant = grantName('organization', everyTeamRelation)!;
/** The scope of `everyTeamRelation`. */
export const everyTeamScope = permissionOn('organization', everyTeamRelation)!.scope!;

/** Finds organization permissions only; an organization's grant may also name team permissions. */
export function organizationPermissionByGrant(name: string) {
  return byGrant.organization.get(name) ?? null;
}

export function teamPermissionByGrant(name: string) {
  return byGrant.team.get(name) ?? null;
}

/** Returns the name of a permission of the Owner's session; null for all others. */
export const ownerSessionName = (relation: string): string | null =>
  ownerSessionPermissions.find((permission) => permission.relation === relation)?.grant ?? null;

export function isOwnerSessionGrant(name: string): boolean {
  return ownerSessionPermissions.some((permission) => permission.grant === name);
}

/** Returns the grant names of these organization permissions and of those they imply (G1). */
export const organizationClosure = (names: ReadonlySet<string>): string[] =>
  grantsOf(closureOf(organizationPermissions, isGranted(names)));

/**
 * Returns the grant names of the permissions that a grantor of these must hold: their closure. One
 * without a scope is left out if another implies it, so that an access token can grant what it can
 * hold; sessions and keys hold it with the other one.
 */
export const organizationRequirements = (names: ReadonlySet<string>): string[] => {
  const closure = closureOf(organizationPermissions, isGranted(names));
  const relations = new Set(closure.map(({ relation }) => relation));
  return grantsOf(
    closure.filter(
      (one) => one.scope !== null || !sourcesOf(one).some((source) => relations.has(source)),
    ),
  );
};

/**
 * Returns the names in one grant, of the organization or its teams, without those that a grantor need
 * not hold because others imply them; see `organizationRequirements`.
 */
export const withoutImplied = (names: readonly string[]): string[] => {
  const required = new Set(organizationRequirements(new Set(names)));
  return names.filter((name) => !byGrant.organization.has(name) || required.has(name));
};

/** Returns those of these grant names that an access token can hold. */
export const withinScopes = (names: readonly string[]): string[] =>
  names.filter((name) => byGrant.organization.get(name)?.scope !== null);

/** Returns the grant names of these team permissions and of those they imply (G1). */
export const teamClosure = (names: ReadonlySet<string>): string[] =>
  grantsOf(closureOf(teamPermissions, isGranted(names)));

const isGranted =
  (names: ReadonlySet<string>) =>
  ({ grant }: Permission) =>
    grant !== null && names.has(grant);

const grantsOf = (list: readonly Permission[]) => list.flatMap(({ grant }) => grant ?? []);

function closureOf(
  table: readonly Permission[],
  isNamed: (permission: Permission) => boolean,
): readonly Permission[] {
  let implied = table.filter(isNamed);
  for (;;) {
    const relations = new Set(implied.map(({ relation }) => relation));
    const wider = table.filter((one) =>
      [one.relation, ...sourcesOf(one)].some((source) => relations.has(source)),
    );
    // `team_policies` implies in two steps: the mutations of each policy family, then their views.
    if (wider.length === implied.length) return implied;
    implied = wider;
  }
}

/** Returns the management permission of this OAuth scope; its `context` shows where it applies. */
export function permissionByScope(name: string) {
  return byScope.get(name) ?? null;
}

/** Accepts only the four exact `mcp_*` names; no management scope implies a capability (SC1). */
export function capabilityByScope(name: string): Capability | null {
  return capabilities.find((capability) => name === scopeOfCapability(capability)) ?? null;
}

export function scopeOfCapability(capability: Capability): string {
  return `mcp_${capability}`;
}

/** Where the connections of an OAuth client work: in a person's account, or in an organization. */
export type ClientContext = 'personal' | 'organization';

const scopeNames = {
  personal: namesOfScopes(personalPermissions),
  organization: namesOfScopes([...organizationPermissions, ...teamPermissions]),
};

/** The scopes that a client can be allowed: management scopes, and the four `mcp_*`. */
export const scopesIn = (context: ClientContext): ReadonlySet<string> => scopeNames[context];

function namesOfScopes(table: readonly Permission[]): ReadonlySet<string> {
  return new Set([...capabilities.map(scopeOfCapability), ...scopesOf(table)]);
}

function scopesOf(table: readonly Permission[]): string[] {
  return table.flatMap(({ scope }) => scope ?? []);
}

/**
 * Returns these scopes with those they imply, in the order of the table: a mutation implies its
 * view, and `team_policies` the four policy families. Leaves out names that are not scopes.
 */
export function scopeClosure(names: Iterable<string>): string[] {
  const named = new Set(names);
  const isNamed = ({ scope }: Permission) => scope !== null && named.has(scope);
  return [
    ...capabilities.map(scopeOfCapability).filter((scope) => named.has(scope)),
    ...Object.values(permissions).flatMap((table: readonly Permission[]) =>
      scopesOf(closureOf(table, isNamed)),
    ),
  ];
}

/**
 * Returns the relations that imply this permission in one step: each mutation of a family implies
 * its view (G1), `team_policies` implies the four policy families, and who may update an
 * organization may read its audit log. Nothing else is implied.
 */
export function sourcesOf(permission: Permission): string[] {
  return permissions[permission.context]
    .filter((source) => implies(source, permission))
    .map(({ relation }) => relation);
}

function implies(source: Permission, target: Permission): boolean {
  if (source.relation === target.relation) return false;
  if (source.family === target.family) return target.verb === 'read';
  if (target.context === 'organization')
    return source.relation === 'profile_write' && target.relation === 'audit_read';

  const spreads = target.context === 'team' && source.family === 'policies';
  return spreads && isPolicyFamily(target.family) && source.verb === target.verb;
}

function isPolicyFamily(family: string): boolean {
  return policyFamilies.some((name) => name === family);
}

function indexBy<P>(list: readonly P[], nameOf: (permission: P) => string | null): Map<string, P> {
  const index = new Map<string, P>();
  for (const permission of list) {
    const name = nameOf(permission);
    if (name !== null) index.set(name, permission);
  }
  return index;
}

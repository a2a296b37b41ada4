/**
 * The one table of permissions: OAuth scope, grant name of a key, OpenFGA relation, implied view.
 * The model's families, the system roles, the validation of grants and `docs/permissions.md` derive
 * from it; routes name their relation by its types. Imports nothing, so the dashboard may use it.
 */

export type Lane = 'personal' | 'organization' | 'team';

export interface Permission<Relation extends string = string> {
  readonly lane: Lane;
  /** Name of its relations in OpenFGA: `can_<relation>`, `carried_<relation>`, a flag of roles. */
  readonly relation: Relation;
  readonly scope: string;
  /** Null: there is no such grant, it exists as an OAuth scope only. */
  readonly grant: string | null;
  readonly family: string;
  readonly verb: string;
}

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

/** 21: what a person may do with what is their own. */
export const personalPermissions = [
  ...contentFamilies.flatMap((family) => personal(family, crud)),
  ...personal('usage', ['read']),
  ...personal('dashboard', ['read']),
  ...personal('settings', ['write']),
  ...personal('mcp_settings', readWrite, { grantable: false }),
];

/** 47: what a role of an organization contains. */
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
];

/** 40: what a role of a team contains. */
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

export const permissions: { readonly [L in Lane]: readonly Permission<RelationOf[L]>[] } = {
  personal: personalPermissions,
  organization: organizationPermissions,
  team: teamPermissions,
};

/** Carried, it gives every team permission, within the credential's bindings (SC3). */
export const everyTeamRelation = 'all_teams_write' satisfies OrganizationRelation;

export const capabilities = ['tools', 'resources', 'prompts', 'agents'] as const;
export type Capability = (typeof capabilities)[number];

/** The Owner's session alone holds them; in a grant they are refused, whoever asks (G3). */
export const ownerSessionPermissions = [
  { relation: 'delete', grant: 'can_delete_organization' },
  { relation: 'billing_update', grant: 'can_update_organization_billing' },
  { relation: 'ownership_transfer', grant: 'can_transfer_organization_ownership' },
] as const;

const byGrant = {
  personal: indexed(personalPermissions, (permission) => permission.grant),
  organization: indexed(organizationPermissions, (permission) => permission.grant),
  team: indexed(teamPermissions, (permission) => permission.grant),
};
const byScope = indexed(
  [...personalPermissions, ...organizationPermissions, ...teamPermissions],
  (permission) => permission.scope,
);

export function personalPermissionByGrant(name: string) {
  return byGrant.personal.get(name) ?? null;
}

/** Returns how a key's grant names a relation; null: no grant has it. */
export function grantName(on: Lane | 'account', relation: string): string | null {
  return permissionOn(on, relation)?.grant ?? null;
}

/** Whether the table has this permission, on what a route names. */
export const isPermission = (on: Lane | 'account', relation: string): boolean =>
  permissionOn(on, relation) !== undefined;

const permissionOn = (on: Lane | 'account', relation: string): Permission | undefined =>
  permissions[on === 'account' ? 'personal' : on].find((one) => one.relation === relation);

/** A grant for an organization may also name team permissions: ask for those besides. */
export function organizationPermissionByGrant(name: string) {
  return byGrant.organization.get(name) ?? null;
}

export function teamPermissionByGrant(name: string) {
  return byGrant.team.get(name) ?? null;
}

export function isOwnerSessionGrant(name: string): boolean {
  return ownerSessionPermissions.some((permission) => permission.grant === name);
}

/** The management permission of exactly this OAuth scope; its `lane` tells which clients ask. */
export function permissionByScope(name: string) {
  return byScope.get(name) ?? null;
}

/** Only the four exact `mcp_*` names; no management scope gives a capability (SC1). */
export function capabilityByScope(name: string): Capability | null {
  return capabilities.find((capability) => name === scopeOfCapability(capability)) ?? null;
}

export function scopeOfCapability(capability: Capability): string {
  return `mcp_${capability}`;
}

/**
 * What gives this permission besides itself, in one step: each mutation of a family gives its view
 * (G1), and `team_policies` stands for the four policy families. Nothing else implies anything.
 */
export function impliedBy<L extends Lane>(lane: L, relation: RelationOf[L]): RelationOf[L][] {
  const all = permissions[lane];
  const wanted = all.find((permission) => permission.relation === relation);
  return wanted === undefined ? [] : sourcesAmong(all, wanted);
}

/** The same for a row of the table, when its lane is not known at compile time. */
export function sourcesOf(permission: Permission): string[] {
  return sourcesAmong<string>(permissions[permission.lane], permission);
}

/** These permissions with all they imply. */
export function closure<L extends Lane>(
  lane: L,
  relations: Iterable<RelationOf[L]>,
): Set<RelationOf[L]> {
  const held = new Set(relations);
  const implied = permissions[lane].filter(({ relation }) => !held.has(relation));

  for (const { relation } of implied) {
    if (impliedBy(lane, relation).some((source) => held.has(source))) held.add(relation);
  }
  return held.size === new Set(relations).size ? held : closure(lane, held);
}

function sourcesAmong<R extends string>(all: readonly Permission<R>[], wanted: Permission): R[] {
  return all.filter((permission) => gives(permission, wanted)).map(({ relation }) => relation);
}

function gives(source: Permission, target: Permission): boolean {
  if (source.relation === target.relation) return false;
  if (source.family === target.family) return target.verb === 'read';

  const spreads = target.lane === 'team' && source.family === 'policies';
  return spreads && isPolicyFamily(target.family) && source.verb === target.verb;
}

function isPolicyFamily(family: string): boolean {
  return policyFamilies.some((name) => name === family);
}

function permissionsOf(lane: Lane, nounOf: (family: string) => string) {
  return <Family extends string, Verb extends string>(
    family: Family,
    verbs: readonly Verb[],
    options: { noun?: string; grantNoun?: string; grantable?: boolean } = {},
  ): Permission<`${Family}_${Verb}`>[] => {
    const noun = options.noun ?? nounOf(family);
    const grantNoun = options.grantNoun ?? noun;

    return verbs.map((verb) => ({
      lane,
      relation: `${family}_${verb}` as const,
      scope: `${verb}:${noun}`,
      grant: options.grantable === false ? null : `can_${verbOfGrant(verb)}_${grantNoun}`,
      family,
      verb,
    }));
  };
}

/** Grants say view and update where scopes say read and write. */
function verbOfGrant(verb: string): string {
  if (verb === 'read') return 'view';
  return verb === 'write' ? 'update' : verb;
}

function indexed<P>(list: readonly P[], nameOf: (permission: P) => string | null): Map<string, P> {
  const index = new Map<string, P>();
  for (const permission of list) {
    const name = nameOf(permission);
    if (name !== null) index.set(name, permission);
  }
  return index;
}

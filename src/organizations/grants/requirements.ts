import {
  organizationPermissionByGrant,
  ownerSessionPermissions,
  teamPermissionByGrant,
} from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import type { Principal } from '../../caller/principal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { RoleContent } from '../roles/kind.ts';
import { organizationRoles, teamRoles } from '../roles/system.ts';
import { capabilityEscalation, permissionNotHeld } from './refusals.ts';

/** The caller, or the inviter of an invitation, whose permissions limit what is given. */
export type Holder = Pick<
  Principal,
  'subject' | 'context' | 'person' | 'credential' | 'organization' | 'scopes'
>;

/** A relation that a holder must have in order to give something. */
export interface Requirement {
  /**
   * Where the holder must have it. A person who may manage every team has all permissions in each
   * of them. `nowhere` is for what the holder cannot have.
   */
  where: 'organization' | 'team' | 'either' | 'nowhere';
  relation: string;
  /** Reported if the holder does not have it. */
  problem: Problem;
}

/** A permission or capability to give, with the pointer to it in the request. */
export interface PointedName<Name extends string> {
  name: Name;
  pointer: string;
}

/** A credential of the organization, which has no role. */
export const isMachine = ({ person }: Pick<Principal, 'person'>): boolean => person === null;

/** Returns what is required to give a role of the organization. */
export const organizationRequirementsOf = (
  holder: Holder,
  { permissions, capabilities }: RoleContent,
  pointer: string,
): Requirement[] => [
  ...organizationRoles
    .requirements(new Set(permissions))
    .flatMap((name) => permissionRequirements({ name, pointer })),
  // The capabilities of a machine's key were checked for its teams (C5), so it cannot grant them
  // in the organization.
  ...capabilities.map((name) => ({
    where: isMachine(holder) ? ('nowhere' as const) : ('organization' as const),
    relation: `role_mcp_${name}`,
    problem: capabilityEscalation(name, pointer),
  })),
];

/** Returns what is required to give a role of a team. A capability may come from the organization. */
export const teamRequirementsOf = (
  holder: Holder,
  { permissions, capabilities }: RoleContent,
  pointer: string,
): Requirement[] => [
  ...teamRoles
    .requirements(new Set(permissions))
    .flatMap((name) => permissionRequirements({ name, pointer })),
  ...capabilities.map((name) => ({
    where: isMachine(holder) ? ('team' as const) : ('either' as const),
    relation: `role_mcp_${name}`,
    problem: capabilityEscalation(name, pointer),
  })),
];

/** Returns what is required to have all that the Owner's session has. */
export const ownerRequirementsOf = (holder: Holder): Requirement[] =>
  ownerSessionPermissions.map(({ relation, grant }) => ({
    where: isMachine(holder) ? ('nowhere' as const) : ('organization' as const),
    relation: `can_${relation}`,
    problem: permissionNotHeld(grant, ''),
  }));

/** Leaves out unknown names, which are reported separately. */
export function permissionRequirements({ name, pointer }: PointedName<string>): Requirement[] {
  const problem = permissionNotHeld(name, pointer);
  const organization = organizationPermissionByGrant(name);
  if (organization !== null)
    return [{ where: 'organization', relation: `can_${organization.relation}`, problem }];
  const team = teamPermissionByGrant(name);
  return team === null ? [] : [{ where: 'team', relation: `can_${team.relation}`, problem }];
}

/** Returns what is required to give a capability to a credential. A machine has it in all its teams. */
export const capabilityRequirement = (
  holder: Holder,
  { name, pointer }: PointedName<Capability>,
): Requirement => ({
  ...(isMachine(holder)
    ? { where: 'organization', relation: `can_use_${name}` }
    : { where: 'either', relation: `role_mcp_${name}` }),
  problem: capabilityEscalation(name, pointer),
});

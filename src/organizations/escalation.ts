import type { Authz } from '../authz/authz.ts';
import {
  grantName,
  organizationClosure,
  organizationPermissionByGrant,
  ownerSessionPermissions,
} from '../authz/permissions.ts';
import type { OrganizationRelation } from '../authz/permissions.ts';
import { contextIn } from '../caller/access.ts';
import type { Principal } from '../caller/principal.ts';
import { permissionDenied, requireNotSuspended } from '../caller/refusals.ts';
import { absent, forbidden } from '../platform/errors/refusal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import type { NamedRole, RoleContent } from './roles/kind.ts';
import { OWNER_ROLE } from './roles/system.ts';

/** Permissions and capabilities somebody is given, each with the place in the body that does. */
export interface Granted {
  pointer: string;
  content: RoleContent;
}

/** Somebody whose authority is measured: a caller, or the member who invited somebody. */
export type Holder = Pick<
  Principal,
  'subject' | 'context' | 'person' | 'credential' | 'organization' | 'scopes'
>;

/**
 * Decides that nobody gives what they do not hold (G2, C5), by what OpenFGA says the caller holds
 * now. Changes that follow are held to the scopes of the caller: if they moved, it is decided again.
 */
export interface EscalationGuard {
  /** Returns a problem for each permission and capability that the caller does not hold. */
  problems(holder: Holder, granted: readonly Granted[]): Promise<Problem[]>;
  /** Returns whether the holder has the permission in the organization. */
  holds(holder: Holder, permission: OrganizationRelation): Promise<boolean>;
  /** Throws 403 without the permission, or in a suspended organization. */
  requirePermission(holder: Holder, permission: OrganizationRelation): Promise<void>;
  /** Throws 403 if these roles give more than the caller holds: such a member is above them. */
  requireNotAbove(holder: Holder, roles: readonly NamedRole[]): Promise<void>;
}

/** At most so many problems are answered at once. */
export const MAX_PROBLEMS = 20;

export function createEscalationGuard({ authz }: { authz: Pick<Authz, 'check'> }): EscalationGuard {
  /** Returns those of the relations that the caller has in the organization of the request. */
  async function heldAmong(caller: Holder, relations: ReadonlySet<string>) {
    const { organization } = caller;
    const object =
      organization && contextIn('organization', caller, { organization_id: organization.id });
    if (object === null) throw absent('the request is in no organization');
    if (relations.size === 0) return new Map<string, boolean>();
    return authz.check(caller, [...relations], object);
  }

  async function holds(caller: Holder, permission: OrganizationRelation): Promise<boolean> {
    const relation = `can_${permission}`;
    return (await heldAmong(caller, new Set([relation]))).get(relation) === true;
  }

  return {
    holds,
    async problems(caller, granted) {
      const wanted = granted.flatMap(({ content, pointer }) => [
        ...organizationClosure(new Set(content.permissions)).map((name) => ({
          ...{ pointer, name, relation: relationOf(name) },
          problem: permissionNotHeld,
        })),
        ...content.capabilities.map((name) => ({
          ...{ pointer, name, relation: `role_mcp_${name}` },
          problem: capabilityEscalation,
        })),
      ]);
      const held = await heldAmong(caller, new Set(wanted.map(({ relation }) => relation)));
      return wanted
        .filter(({ relation }) => held.get(relation) !== true)
        .map(({ name, pointer, problem }) => problem(name, pointer));
    },
    async requirePermission(caller, permission) {
      requireNotSuspended(caller);
      if (!(await holds(caller, permission)))
        throw permissionDenied(grantName('organization', permission) ?? permission);
    },
    async requireNotAbove(caller, roles) {
      const relations = new Set([
        ...organizationClosure(new Set(roles.flatMap(({ permissions }) => permissions))).map(
          relationOf,
        ),
        ...roles.flatMap((role) => role.capabilities.map((name) => `role_mcp_${name}`)),
        ...(roles.some(({ id }) => id === OWNER_ROLE) ? ownerRelations : []),
      ]);
      const held = await heldAmong(caller, relations);
      if (![...relations].every((relation) => held.get(relation) === true))
        throw forbidden('permission_denied', 'This member may do more here than you.');
    },
  };
}

const relationOf = (name: string) => `can_${organizationPermissionByGrant(name)?.relation}`;
const ownerRelations = ownerSessionPermissions.map(({ relation }) => `can_${relation}`);

export const permissionNotHeld = (permission: string, pointer: string): Problem => ({
  code: 'permission_not_held',
  message: `You do not have \`${permission}\` here, so you cannot give it.`,
  detail: { pointer, permission },
});
export const capabilityEscalation = (capability: string, pointer: string): Problem => ({
  code: 'capability_escalation',
  message: `You do not have the capability \`${capability}\` here, so you cannot give it.`,
  detail: { pointer, capability },
});

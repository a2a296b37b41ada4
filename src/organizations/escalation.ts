import { missingScope } from '../authz/authz.ts';
import type { Authz } from '../authz/authz.ts';
import {
  grantName,
  organizationPermissionByGrant,
  organizationRequirements,
  ownerSessionPermissions,
} from '../authz/permissions.ts';
import type { OrganizationRelation } from '../authz/permissions.ts';
import { contextIn } from '../caller/access.ts';
import type { Principal } from '../caller/principal.ts';
import { insufficientScope, permissionDenied, requireNotSuspended } from '../caller/refusals.ts';
import { absent, forbidden } from '../platform/errors/refusal.ts';
import type { Problem, Refusal } from '../platform/errors/refusal.ts';
import type { NamedRole, RoleContent } from './roles/kind.ts';
import { OWNER_ROLE } from './roles/system.ts';

/** Permissions and capabilities to grant, with their pointer in the request body. */
export interface RequestedGrant {
  pointer: string;
  content: RoleContent;
}

/** The member whose permissions are checked: the caller, or the inviter of an invitation. */
export type Holder = Pick<
  Principal,
  'subject' | 'context' | 'person' | 'credential' | 'organization' | 'scopes'
>;

const SEATS = { organization: 'membership', team: 'team_seat' } as const;

/** Builds the 403 for a permission that a caller lacks, or that an access token has no scope for. */
export function lacksPermission(
  caller: Holder,
  on: keyof typeof SEATS,
  permission: string,
): Refusal {
  const name = grantName(on, permission) ?? permission;
  const scope = missingScope(caller, { object: `${SEATS[on]}:`, relation: `can_${permission}` });
  return scope === null ? permissionDenied(name) : insufficientScope(scope, name);
}

/**
 * Ensures that callers grant only permissions and capabilities that they have according to OpenFGA
 * (G2, C5). The change that follows has the caller's scopes as its basis: if one of them changes,
 * it is decided again.
 */
export function createEscalationGuard({ authz }: { authz: Pick<Authz, 'check'> }) {
  /** Returns which of the relations the caller has in the organization of the request. */
  async function checkRelations(caller: Holder, relations: ReadonlySet<string>) {
    const { organization } = caller;
    const object =
      organization && contextIn('organization', caller, { organization_id: organization.id });
    if (object === null) throw absent('the path names no organization of the caller');
    // A credential of the organization has no role: the capabilities of its key were checked for its
    // teams (C5), so it can grant them to nobody. It is never the Owner's session either.
    const applicable = [...relations].filter(
      (relation) => caller.person !== null || !needsPerson(relation),
    );
    if (applicable.length === 0) return new Map<string, boolean>();
    return authz.check(caller, applicable, object);
  }

  /** Returns whether the holder has the permission in the organization. */
  async function holds(caller: Holder, permission: OrganizationRelation): Promise<boolean> {
    const relation = `can_${permission}`;
    return (await checkRelations(caller, new Set([relation]))).get(relation) === true;
  }

  return {
    holds,
    /** Returns a problem for each permission and capability that the holder does not have. */
    async problems(caller: Holder, granted: readonly RequestedGrant[]) {
      const required = granted.flatMap(({ content, pointer }) => [
        ...organizationRequirements(new Set(content.permissions)).map((name) => ({
          ...{ pointer, name, relation: relationOf(name) },
          problem: permissionNotHeld,
        })),
        ...content.capabilities.map((name) => ({
          ...{ pointer, name, relation: `role_mcp_${name}` },
          problem: capabilityEscalation,
        })),
      ]);
      const held = await checkRelations(caller, new Set(required.map(({ relation }) => relation)));
      return required
        .filter(({ relation }) => held.get(relation) !== true)
        .map(({ name, pointer, problem }) => problem(name, pointer));
    },
    /** Throws 403 if the holder lacks the permission or the organization is suspended. */
    async requirePermission(caller: Holder, permission: OrganizationRelation) {
      requireNotSuspended(caller);
      if (!(await holds(caller, permission)))
        throw lacksPermission(caller, 'organization', permission);
    },
    /**
     * Throws 403 if these roles contain a permission or capability that the holder does not have.
     */
    async requireHoldsAll(caller: Holder, roles: readonly NamedRole[]) {
      const relations = new Set([
        ...organizationRequirements(new Set(roles.flatMap(({ permissions }) => permissions))).map(
          relationOf,
        ),
        ...roles.flatMap((role) => role.capabilities.map((name) => `role_mcp_${name}`)),
        ...(roles.some(({ id }) => id === OWNER_ROLE) ? ownerRelations : []),
      ]);
      const held = await checkRelations(caller, relations);
      if (![...relations].every((relation) => held.get(relation) === true))
        throw forbidden(
          'permission_denied',
          'This member has permissions or capabilities that you do not have, so you cannot change or remove them.',
        );
    },
  };
}
export type EscalationGuard = ReturnType<typeof createEscalationGuard>;

const relationOf = (name: string) => `can_${organizationPermissionByGrant(name)?.relation}`;
/** Whether only people can have a relation. */
const needsPerson = (relation: string) =>
  relation.startsWith('role_mcp_') || ownerRelations.includes(relation);

const ownerRelations = ownerSessionPermissions.map(({ relation }) => `can_${relation}`);

export const permissionNotHeld = (permission: string, pointer: string): Problem => ({
  code: 'permission_not_held',
  message: `You do not have \`${permission}\` here, so you cannot grant it.`,
  detail: { pointer, permission },
});
export const capabilityEscalation = (capability: string, pointer: string): Problem => ({
  code: 'capability_escalation',
  message: `You do not have the capability \`${capability}\` here, so you cannot grant it.`,
  detail: { pointer, capability },
});

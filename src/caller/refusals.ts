import { forbidden } from '../platform/errors/refusal.ts';
import type { Principal } from './principal.ts';

/** Internal reason of a 404: the caller is not in the team. */
export const NOT_IN_TEAM = 'not in the team';

/** Builds the 403 for a missing permission, which is named as in grants. */
export const permissionDenied = (permission: string) =>
  forbidden('permission_denied', 'This credential lacks the required permission.', {
    detail: { permission },
  });

/** Builds the 403 for an access token without the scope of a permission. */
export const insufficientScope = (scope: string, permission: string) =>
  forbidden('insufficient_scope', 'The access token lacks the scope of this permission.', {
    ...{ scope, detail: { permission } },
  });

export function requireNotSuspended({ organization }: Pick<Principal, 'organization'>): void {
  if (organization?.status === 'suspended')
    throw forbidden(
      'organization_suspended',
      'This organization is suspended: until it is reactivated, its members can only leave or delete it and revoke keys.',
    );
}

import { forbidden } from '../platform/errors/refusal.ts';
import type { Principal } from './principal.ts';

/** Builds the 403 for a missing permission, which is named as in grants. */
export const permissionDenied = (permission: string) =>
  forbidden('permission_denied', 'This credential lacks the required permission.', {
    detail: { permission },
  });

export function requireNotSuspended({ organization }: Pick<Principal, 'organization'>): void {
  if (organization?.status === 'suspended')
    throw forbidden(
      'organization_suspended',
      'This organization is suspended: until it is reactivated, its members can only leave or delete it and revoke keys.',
    );
}

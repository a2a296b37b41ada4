import type { KeyEdit, KeyRecord } from '../../keys/schema.ts';
import type { UnusedAuthority } from './schema.ts';

/** Returns the edit of a key that takes away what it has not used in an organization. */
export function withoutUnused(
  { grants, mcp_capabilities }: Pick<KeyRecord, 'grants' | 'mcp_capabilities'>,
  organization_id: string,
  { permissions, capabilities }: Pick<UnusedAuthority, 'permissions' | 'capabilities'>,
): KeyEdit {
  const kept = grants.flatMap((grant) => {
    const { scope } = grant;
    if (scope.type !== 'org' || scope.org_id !== organization_id) return grant;
    const rest = grant.permissions.filter((name) => !permissions.includes(name));
    return rest.length === 0 ? [] : { ...grant, permissions: rest };
  });
  return {
    ...(permissions.length === 0 ? {} : { grants: kept }),
    ...(capabilities.length === 0
      ? {}
      : { mcp_capabilities: mcp_capabilities.filter((one) => !capabilities.includes(one)) }),
  };
}

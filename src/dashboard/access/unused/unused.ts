import type { UnusedAuthority } from '../../../explorer/unused/schema.ts';
import type { KeyEdit } from '../../../keys/schema.ts';
import type { Key } from '../../keys/key-values.ts';
import { pagedQuery, pathOf } from '../../organizations/organizations.ts';

export type { UnusedAuthority };

/** For how long something was not used. */
export const PERIODS = ['1', '7', '30', '90', '180', '365'] as const;
type Period = (typeof PERIODS)[number];

/** Kept in the address; 90 days by default. */
export interface UnusedSearch {
  days?: Period;
}

export function unusedSearchOf({ days }: Record<string, unknown>): UnusedSearch {
  const period = PERIODS.find((one) => one === String(days));
  return period === undefined ? {} : { days: period };
}

/** What credentials carry and have not used, the newest credential first. */
export const unusedQuery = (organization_id: string, days: Period) =>
  pagedQuery<UnusedAuthority>(pathOf(organization_id, '/access/unused'), { days });

/** Returns the edit of a key that takes away what it has not used in an organization. */
export function editWithout(
  { grants, mcp_capabilities }: Pick<Key, 'grants' | 'mcp_capabilities'>,
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

import type { UnusedAuthority } from '../../../explorer/unused/schema.ts';
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

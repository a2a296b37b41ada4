import { queryOptions } from '@tanstack/react-query';
import type { DailyUsage } from '../../usage/daily/schema.ts';
import type { OrganizationUsage } from '../../usage/organizations/schema.ts';
import type { UsageReport } from '../../usage/schema.ts';
import { request } from '../api/request.ts';

/** A report of what was used; of an organization also by member and by credential. */
export type Usage = UsageReport & Partial<Pick<OrganizationUsage, 'members' | 'credentials'>>;

/** How much of the limits is used now; `api` is the prefix of the owner's paths. */
export const usageQuery = (api: string) =>
  queryOptions({
    queryKey: ['usage', api],
    queryFn: ({ signal }) => request<Usage>(`${api}/usage`, { signal }),
  });

/** Calls on each of the last 30 days. */
export const dailyUsageQuery = (api: string) =>
  queryOptions({
    queryKey: ['usage', api, 'daily'],
    queryFn: ({ signal }) => request<DailyUsage>(`${api}/usage/daily`, { signal }),
  });

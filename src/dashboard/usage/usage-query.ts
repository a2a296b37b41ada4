import { queryOptions } from '@tanstack/react-query';
import type { DailyUsage } from '../../usage/daily/schema.ts';
import type { UsageReport } from '../../usage/schema.ts';
import { request } from '../api/request.ts';

/** How much of the limits is used now. */
export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => request<UsageReport>('/api/me/usage', { signal }),
});

/** Calls on each of the last 30 days. */
export const dailyUsageQuery = queryOptions({
  queryKey: ['usage', 'daily'],
  queryFn: ({ signal }) => request<DailyUsage>('/api/me/usage/daily', { signal }),
});

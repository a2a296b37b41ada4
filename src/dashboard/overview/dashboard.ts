import { queryOptions } from '@tanstack/react-query';
import type { Dashboard } from '../../usage/schema.ts';
import { request } from '../api/request.ts';

/** Counts and latest events of the account. */
export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => request<Dashboard>('/api/me/dashboard', { signal }),
});

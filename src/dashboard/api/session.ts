import { queryOptions } from '@tanstack/react-query';
import type { Account } from '../../accounts/schema.ts';
import { request } from './request.ts';

/** The account that is signed in. */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => request<Account>('/api/user/profile', { signal }),
  staleTime: 60_000,
});

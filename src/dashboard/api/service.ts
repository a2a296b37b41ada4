import { queryOptions } from '@tanstack/react-query';
import type { ServiceInfo } from '../../accounts/service/schema.ts';
import { request } from './request.ts';

/** What the service offers: providers to sign in with, passkeys, whether anyone may sign up. */
export const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: ({ signal }) => request<ServiceInfo>('/api/service', { signal }),
  staleTime: 60_000,
});

import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { Account } from '../../accounts/schema.ts';
import type { SecondFactorResponse } from '../../accounts/second-factor/schema.ts';
import { actFor, request } from './request.ts';

/** The account that is signed in. */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  async queryFn({ signal }) {
    const account = await request<Account>('/api/user/profile', { signal });
    actFor(account.id);
    return account;
  },
  staleTime: 60_000,
});

/** Forgets all that was read for the account that was signed in. */
export function forgetAccount(queries: QueryClient): void {
  actFor(null);
  queries.clear();
}

/** The response to a password: the account, or the token with which the second factor is sent. */
type SignedIn = { user: Account; second_factor?: undefined } | SecondFactorResponse;

/** Signs in with a password. */
export const signInWithPassword = (body: { email: string; password: string }) =>
  request<SignedIn>('/api/auth/login', { body });

/** Returns the address of the page that asks for the second factor, then leads to a path. */
export const secondFactorPage = (
  { second_factor: { token, methods } }: SecondFactorResponse,
  return_path: string,
): string =>
  `/sign-in/second-factor#${new URLSearchParams({ token, methods: methods.join(','), return_path }).toString()}`;

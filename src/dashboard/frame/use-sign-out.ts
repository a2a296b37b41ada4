import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../api/request.ts';
import { forgetAccount } from '../api/session.ts';
import { tryConnection } from '../try/try-connection.ts';

/** Returns a function that ends the session, and forgets all that was read in it. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await request('/api/auth/logout', { method: 'POST' });
    tryConnection.forget();
    forgetAccount(queries);
    await navigate({ to: '/sign-in' });
  };
}

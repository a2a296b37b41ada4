import { queryOptions } from '@tanstack/react-query';
import type { Identity } from '../../accounts/identities/schema.ts';
import type { FactorState, TotpSetUp } from '../../accounts/second-factor/schema.ts';
import type { Passkey } from '../../accounts/passkeys/schema.ts';
import { readAll } from '../api/lists.ts';
import { createPasskey } from '../api/passkeys.ts';
import { withReauthentication } from '../api/reauthentication.ts';
import { request } from '../api/request.ts';

/** Codes that the first second factor brings; null for any other. Shown once. */
export type FirstCodes = readonly string[] | null;

/** Whether there is an authenticator app, and how many recovery codes are left. */
export const factorsQuery = queryOptions({
  queryKey: ['second-factors'],
  queryFn: ({ signal }) => request<FactorState>('/api/user/second-factors', { signal }),
});

export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: ({ signal }) => readAll<Identity>('/api/user/identities', signal),
});

export const changePassword = (password: string) =>
  withReauthentication((proof) =>
    request<void>('/api/user/password', { body: { password, ...proof } }),
  );

export const startAuthenticatorApp = () =>
  withReauthentication((proof) => request<TotpSetUp>('/api/user/totp', { body: proof }));

export const confirmAuthenticatorApp = (code: string) =>
  request<{ recovery_codes: FirstCodes }>('/api/user/totp/confirm', { body: { code } });

export const removeAuthenticatorApp = () =>
  withReauthentication((proof) =>
    request<void>('/api/user/totp', { method: 'DELETE', body: proof }),
  );

export const createRecoveryCodes = () =>
  withReauthentication((proof) =>
    request<{ recovery_codes: readonly string[] }>('/api/user/recovery-codes', { body: proof }),
  );

/** Creates a passkey on the person's authenticator, and adds it to the account. */
export async function addPasskey(name: string) {
  const { options } = await withReauthentication((proof) =>
    request<{ options: Record<string, unknown> }>('/api/user/passkeys/options', { body: proof }),
  );
  const response = await createPasskey(options);
  return request<{ passkey: Passkey; recovery_codes?: FirstCodes }>('/api/user/passkeys', {
    body: { name, response },
  });
}

export const renamePasskey = (id: string, name: string) =>
  request<Passkey>(`/api/user/passkeys/${id}`, { method: 'PATCH', body: { name } });

export const removePasskey = (id: string) =>
  withReauthentication((proof) =>
    request<void>(`/api/user/passkeys/${id}`, { method: 'DELETE', body: proof }),
  );

/** Returns the address of the provider's sign-in, which leads back to the settings. */
export const linkIdentity = (provider: string) =>
  withReauthentication((proof) =>
    request<{ location: string }>('/api/user/identities', {
      body: { provider, return_path: '/app/settings/security', ...proof },
    }),
  );

export const unlinkIdentity = (id: string) =>
  withReauthentication((proof) =>
    request<void>(`/api/user/identities/${id}`, { method: 'DELETE', body: proof }),
  );

import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Account } from '../../accounts/schema.ts';
import type { Passkey, PasskeySignInOptions } from '../../accounts/passkeys/schema.ts';
import { request } from './request.ts';

/** Thrown if the person or the browser refused to use a passkey. */
export class PasskeyRefused extends Error {}

/** Whether this browser can create and use passkeys. */
export const hasPasskeySupport = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** The account's passkeys. */
export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) =>
    request<{ data: Passkey[] }>('/api/user/passkeys', { signal }).then(({ data }) => data),
});

/** Signs in with a passkey, which identifies the account, and returns the account. */
export async function signInWithPasskey(): Promise<Account> {
  const { token, options } = await request<z.infer<typeof PasskeySignInOptions>>(
    '/api/auth/passkey/options',
    { method: 'POST' },
  );
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const response = await ofPerson(navigator.credentials.get({ publicKey }));
  const { user } = await request<{ user: Account }>('/api/auth/passkey', {
    body: { token, response },
  });
  return user;
}

/** Creates a passkey on the person's authenticator, and returns it as the service reads it. */
export function createPasskey(options: Record<string, unknown>): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return ofPerson(navigator.credentials.create({ publicKey }));
}

/** The browser does not tell why there is no credential: closed, timed out, or none matches. */
async function ofPerson(asked: Promise<Credential | null>): Promise<object> {
  const credential = await asked.catch(() => null);
  if (credential === null) throw new PasskeyRefused();
  return (credential as PublicKeyCredential).toJSON();
}

import type { Secrets } from '../../platform/secrets.ts';
import { upstreamHeaders } from './store.ts';
import type { UpstreamRef } from './store.ts';

export type Headers = Readonly<Record<string, string>>;

const { label, ownerOf } = upstreamHeaders;

/** Encrypts headers for storage; they can only be decrypted for their own space and upstream. */
export const createSealedHeaders = (secrets: Pick<Secrets, 'encrypt' | 'decrypt'>) => ({
  seal: (ref: UpstreamRef, headers: Headers): Buffer =>
    secrets.encrypt(label, ownerOf(ref), JSON.stringify(headers)),
  unseal: (row: UpstreamRef & { headers: Buffer }): Headers =>
    JSON.parse(secrets.decrypt(label, ownerOf(row), row.headers)) as Headers,
});
export type SealedHeaders = ReturnType<typeof createSealedHeaders>;

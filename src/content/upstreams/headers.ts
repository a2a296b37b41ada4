import type { Secrets } from '../../platform/secrets.ts';

export type Headers = Readonly<Record<string, string>>;

interface Owner {
  space_id: string;
  id: string;
}

const LABEL = 'upstream-headers';
const boundTo = ({ space_id, id }: Owner) => `${space_id} ${id}`;

/** Encrypts headers for storage; they can only be decrypted for their own space and upstream. */
export const sealedHeaders = (secrets: Pick<Secrets, 'encrypt' | 'decrypt'>) => ({
  seal: (owner: Owner, headers: Headers): Buffer =>
    secrets.encrypt(LABEL, boundTo(owner), JSON.stringify(headers)),
  unseal: (row: Owner & { headers: Buffer }): Headers =>
    JSON.parse(secrets.decrypt(LABEL, boundTo(row), row.headers)) as Headers,
});
export type SealedHeaders = ReturnType<typeof sealedHeaders>;

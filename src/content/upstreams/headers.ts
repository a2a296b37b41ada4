import type { Secrets } from '../../platform/secrets.ts';

export type Headers = Readonly<Record<string, string>>;

interface Owner {
  account_id: string;
  id: string;
}

const LABEL = 'upstream-headers';
const boundTo = ({ account_id, id }: Owner) => `${account_id} ${id}`;

/** Headers as rows hold them: they open for their own account and upstream alone. */
export const sealedHeaders = (secrets: Pick<Secrets, 'encrypt' | 'decrypt'>) => ({
  seal: (owner: Owner, headers: Headers): Buffer =>
    secrets.encrypt(LABEL, boundTo(owner), JSON.stringify(headers)),
  unseal: (row: Owner & { headers: Buffer }): Headers =>
    JSON.parse(secrets.decrypt(LABEL, boundTo(row), row.headers)) as Headers,
});
export type SealedHeaders = ReturnType<typeof sealedHeaders>;

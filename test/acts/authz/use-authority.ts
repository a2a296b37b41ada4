import { afterAll } from 'vitest';
import { createAuthority } from '../../support/worlds/authority.ts';
import { createDeployment } from '../../support/servers/deployment.ts';

/** A deployment of the file's own, and one authority over it. */
export async function useAuthority() {
  const deployment = await createDeployment();
  const authority = await createAuthority(deployment);
  afterAll(() => authority.close());
  return {
    deployment,
    authority,
    /** A revocation OpenFGA refuses, since one of its tuples is gone already. */
    async revokeRefused(account: string, key: string): Promise<void> {
      const object = `account:${account}`;
      const gone = { user: `api_key:${key}`, relation: 'declared_tools', object };
      await authority.engine.write({ deletes: [gone], writes: [] });
      await authority.removeKey(account, key);
    },
  };
}

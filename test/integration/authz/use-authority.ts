import { createAuthority } from '../../support/worlds/authority.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { createDeployment } from '../../support/servers/deployment.ts';

/** Creates a deployment for the test file, and one authority on it. */
export async function useAuthority() {
  const deployment = await createDeployment();
  const authority = await closeAfterTests(createAuthority(deployment));
  return {
    deployment,
    authority,
    /** Revokes a key so that OpenFGA refuses the change: one of its tuples is already deleted. */
    async revokeRefused(account: string, key: string): Promise<void> {
      const object = `account:${account}`;
      const deleted = { user: `api_key:${key}`, relation: 'declared_tools', object };
      await authority.engine.write({ deletes: [deleted], writes: [] });
      await authority.removeKey(account, key);
    },
  };
}

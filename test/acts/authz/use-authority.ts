import { afterAll } from 'vitest';
import { createAuthority } from '../../support/authority.ts';
import { createDeployment } from '../../support/deployment.ts';

/** A deployment of the file's own, and one authority over it. */
export async function useAuthority() {
  const deployment = await createDeployment();
  const authority = await createAuthority(deployment);
  afterAll(() => authority.close());
  return { deployment, authority };
}

import type { SsoDependencies } from './dependencies.ts';
import { createDomains } from './domains/domains.ts';
import type { Domains } from './domains/domains.ts';

export { isProvedDomain } from './domains/store.ts';

/** Single sign-on of organizations at their own identity providers. */
export interface Sso {
  domains: Domains;
}

export function createSso(
  dependencies: Pick<SsoDependencies, 'database' | 'authz' | 'readTxtRecords'>,
): Sso {
  return { domains: createDomains({ ...dependencies, onVerified: async () => {} }) };
}

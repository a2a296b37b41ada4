import type { RequestFacts } from '../../caller/route.ts';
import { domainOf, readAddress } from '../../platform/text/address.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { findConnectionOfDomain } from '../enforcement/store.ts';
import type { Discovery, DiscoveryQuery } from './schema.ts';

/**
 * Creates the function that returns how to sign in with an address. It depends on the domain alone,
 * so it says nothing about accounts.
 */
export function createDiscovery({
  database,
  config,
  limitForm,
}: Pick<SsoDependencies, 'database' | 'config' | 'limitForm'>) {
  return async function discover(
    { email }: DiscoveryQuery,
    { address }: RequestFacts,
  ): Promise<Discovery> {
    const domain = domainOf(readAddress(email));
    await limitForm('challenge', { address });
    const found = await findConnectionOfDomain(database.pool, domain);
    if (found === null) return { connection_id: null, url: null, required: false };
    return { ...found, url: `${config.PUBLIC_URL}/api/auth/sso/${found.connection_id}/start` };
  };
}

import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { limitChunks } from './chunk-limit.ts';
import { OutboundError } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** Resolves a name to all its addresses. */
export type Resolve = (hostname: string, isAllowed: boolean) => Promise<LookupAddress[]>;

export type Agents = Awaited<ReturnType<typeof createAgents>>;

/** Loads undici on the first request: a gateway that makes no outbound calls never loads it. */
export async function createAgents(resolve: Resolve) {
  const { Agent } = await import('undici');
  const create = (isAllowed: boolean) =>
    new Agent({
      allowH2: false,
      autoSelectFamily: true,
      connect: { lookup: checkedLookup(resolve, isAllowed), timeout: CONNECT_TIMEOUT_MS },
      maxHeaderSize: 32_768,
      pipelining: 1,
    }).compose(limitChunks);
  return { guarded: create(false), open: create(true) };
}

type LookupCallback = (error: Error | null, addresses: LookupAddress[]) => void;

/** Checks the addresses the socket will connect to; the name remains the TLS server name. */
function checkedLookup(resolve: Resolve, isAllowed: boolean) {
  return (hostname: string, _options: unknown, callback: LookupCallback): void => {
    resolve(hostname, isAllowed).then(
      (addresses) => {
        if (addresses.length === 0) callback(unresolved(hostname), []);
        else if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
          callback(notPublic(hostname), []);
        else callback(null, addresses);
      },
      () => callback(unresolved(hostname), []),
    );
  };
}

/**
 * Resolves untrusted names with DNS only: not with the hosts file, and not on the thread pool,
 * which slow name servers would exhaust. Names that the operator allowed use the system resolver.
 */
export async function resolveName(hostname: string, isAllowed: boolean): Promise<LookupAddress[]> {
  if (isAllowed) return lookup(hostname, { all: true });
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
}

export const notPublic = (host: string) =>
  new OutboundError('address_not_public', `${host} does not have a public address.`);
const unresolved = (host: string) =>
  new OutboundError('unreachable', `The name ${host} could not be resolved.`);

import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net';
import { headerValues } from '../../platform/http/body.ts';

export type ClientAddress = (remote: string | undefined, rawHeaders: readonly string[]) => string;

/**
 * Returns a function that finds the client's address: the address of the connection or, if that is
 * a trusted proxy, the rightmost address in `X-Forwarded-For` that is not a trusted proxy. Entries
 * are read from right to left. If one of them is not an IP address, the address of the connection
 * is returned, because nothing to the left of that entry can be trusted.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const proxies of trustedProxies) {
    const [network = '', prefix] = proxies.split('/');
    const bits = prefix ?? (isIPv6(network) ? 128 : 32);
    trusted.addSubnet(network, Number(bits), familyOf(network));
  }
  return (remote, rawHeaders) => {
    const connection = bareAddress(remote ?? '') ?? UNKNOWN;
    const entries = headerValues(rawHeaders, 'x-forwarded-for').join(',').split(',');
    let client = connection;
    for (const entry of entries.toReversed().map((one) => one.trim())) {
      if (!trusted.check(client, familyOf(client))) break;
      if (entry === '') continue;
      const address = bareAddress(entry);
      if (address === null) return connection;
      client = address;
    }
    return client;
  };
}

/** Address of a connection that is already closed. */
const UNKNOWN = '0.0.0.0';
const IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;
const BEFORE_PORT = /^([\d.]+):\d{1,5}$/;
const MAPPED = /^::ffff:([\d.]+)$/;

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Returns the address without port, brackets, zone or `::ffff:`; null if it is not an address. */
function bareAddress(text: string): string | null {
  const address = IN_BRACKETS.exec(text)?.[1] ?? BEFORE_PORT.exec(text)?.[1] ?? text;
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : null;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  return MAPPED.exec(canonical)?.[1] ?? canonical;
}

import { BlockList, isIPv6 } from 'node:net';

/** What the client's address is if its connection was closed before it could be read. */
const UNKNOWN_ADDRESS = '0.0.0.0';

/**
 * Returns the function that tells whether a client's address is in one of these canonical networks;
 * an unknown address is in none.
 */
export function createNetworkSet(networks: readonly string[]): (address: string) => boolean {
  // In one list, `::/0` would have every IPv4 address, as a mapped one.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const one of networks) {
    const [network = '', prefix] = one.split('/');
    const family = familyOf(network);
    lists[family].addSubnet(network, Number(prefix), family);
  }
  return (address) => {
    const family = familyOf(address);
    return address !== UNKNOWN_ADDRESS && lists[family].check(address, family);
  };
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

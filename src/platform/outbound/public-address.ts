import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose IPv4 blocks, and a public address that reaches the host on Azure. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Special blocks within global unicast: Teredo and its neighbors, documentation, 6to4. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48'];

const special = blockList(SPECIAL_V4, SPECIAL_V6);

/** Mapped, NAT64, unique-local and link-local addresses are all outside this one block. */
const globalUnicast = blockList([], ['2000::/3']);

/** Returns whether an IP address in canonical form is globally routable and not special-purpose. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

function blockList(v4: string[], v6: string[]): BlockList {
  const blocks = new BlockList();
  for (const [subnets, family] of [
    [v4, 'ipv4'],
    [v6, 'ipv6'],
  ] as const) {
    for (const subnet of subnets) {
      const [network = '', prefix] = subnet.split('/');
      blocks.addSubnet(network, Number(prefix), family);
    }
  }
  return blocks;
}

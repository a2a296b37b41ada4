import { isIPv6 } from 'node:net';

const GROUPS = 8;
const NETWORK_GROUPS = 4;
const MAPPED_PREFIX = '0:0:0:0:0:ffff';

/**
 * Returns the key that limits a client: its IPv4 address, or the /64 of its IPv6 address, since a
 * single subscriber gets at least a /64.
 */
export function addressBucket(address: string): string {
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return bare;
  const groups = expand(bare);
  const hex = groups.map((group) => group.toString(16));
  if (hex.slice(0, 6).join(':') === MAPPED_PREFIX)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${hex.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

function expand(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const middle = Array<number>(Math.max(0, GROUPS - front.length - back.length)).fill(0);
  return [...front, ...middle, ...back];
}

const groupsOf = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => {
        if (!group.includes('.')) return [Number.parseInt(group, 16)];
        const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
        return [a * 256 + b, c * 256 + d];
      });

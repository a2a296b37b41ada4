const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
const BYTE = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const GROUPS = 8;
const MAPPED_BYTES = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const MAPPED_BITS = MAPPED_BYTES.length * 8;

/**
 * Returns a CIDR range, or a single address as a range of one, in its canonical form: without host
 * bits, and an IPv4-mapped range as the IPv4 range that it is. Returns null if the text is neither.
 * Runs in browsers, too.
 */
export function canonicalNetwork(text: string): string | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const bytes = bytesOfIpv4(address) ?? bytesOfIpv6(address);
  if (bytes === null || rest.length > 0) return null;
  const size = bytes.length * 8;
  if (prefix !== undefined && !(PREFIX.test(prefix) && Number(prefix) <= size)) return null;
  const bits = prefix === undefined ? size : Number(prefix);
  const isMapped = bytes.length > 4 && MAPPED_BYTES.every((byte, index) => bytes[index] === byte);
  return isMapped && bits >= MAPPED_BITS
    ? networkText(bytes.slice(MAPPED_BYTES.length), bits - MAPPED_BITS)
    : networkText(bytes, bits);
}

function bytesOfIpv4(text: string): number[] | null {
  const parts = text.split('.');
  const isValid =
    parts.length === 4 && parts.every((part) => BYTE.test(part) && Number(part) < 256);
  return isValid ? parts.map(Number) : null;
}

function bytesOfIpv6(text: string): number[] | null {
  const halves = withoutDots(text)?.split('::') ?? [];
  if (halves.length < 1 || halves.length > 2) return null;
  const [head = [], tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const given = head.length + (tail?.length ?? 0);
  if (tail === undefined ? given !== GROUPS : given >= GROUPS) return null;
  const zeros = Array<string>(GROUPS - given).fill('0');
  const groups = [...head, ...zeros, ...(tail ?? [])];
  if (!groups.every((group) => GROUP.test(group))) return null;
  return groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** Writes an IPv4 address at the end of an IPv6 address as two groups. */
function withoutDots(text: string): string | null {
  if (!text.includes('.')) return text;
  const end = text.lastIndexOf(':') + 1;
  const bytes = bytesOfIpv4(text.slice(end));
  return bytes === null || end === 0 ? null : text.slice(0, end) + groupsOf(bytes).join(':');
}

const groupsOf = (bytes: readonly number[]): string[] =>
  Array.from({ length: bytes.length / 2 }, (_, index) =>
    ((bytes[index * 2]! << 8) | bytes[index * 2 + 1]!).toString(16),
  );

function networkText(bytes: readonly number[], bits: number): string {
  const masked = bytes.map((byte, index) => byte & maskOf(bits - index * 8));
  return `${masked.length === 4 ? masked.join('.') : ipv6Text(masked)}/${bits}`;
}

/** Returns the mask of a byte of which this many bits, at most eight, belong to the network. */
const maskOf = (bits: number): number => (0xff00 >> Math.min(Math.max(bits, 0), 8)) & 0xff;

/** Returns the text of RFC 5952, in which the first of the longest runs of zeros is left out. */
function ipv6Text(bytes: readonly number[]): string {
  const text = groupsOf(bytes).join(':');
  const runs = text.match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.reduce((one, other) => (other.length > one.length ? other : one), '');
  if (longest === '') return text;
  const [before, after] = splitOnce(text, longest);
  return `${before.replace(/:$/, '')}::${after.replace(/^:/, '')}`;
}

function splitOnce(text: string, part: string): [string, string] {
  // A whole run: a shorter one is no part of a longer number.
  const at = text.search(new RegExp(`(?<![0-9a-f])${part}(?![0-9a-f])`));
  return [text.slice(0, at), text.slice(at + part.length)];
}

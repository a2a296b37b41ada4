import { Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { z } from 'zod';

/** Schema of a URL with one of these protocols. */
export const url = (protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL with the scheme ${protocols.join(' or ')}`,
  });

/** Splits a comma-separated list and drops empty entries. */
export const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** One server, or several after a cluster scheme, which no URL parser accepts. */
export const redisUrl = z.string().refine(
  (text) => {
    const [, scheme, kind, hosts = ''] = /^(rediss?)(\+cluster)?:\/\/(.*)$/.exec(text) ?? [];
    if (scheme === undefined) return false;
    const servers = kind === undefined ? [hosts] : hosts.split(',');
    return servers.every((server) => server !== '' && URL.canParse(`${scheme}://${server}`));
  },
  { error: 'must be a redis:, rediss:, redis+cluster: or rediss+cluster: URL' },
);

/** Returns whether the text is an origin as browsers send it; extensions have schemes of their own. */
export const isOrigin = (text: string) => {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/.test(text)) return false;
  return !/^https?:/.test(text) || URL.parse(text)?.origin === text;
};

/** Returns whether the text is an IP address or a CIDR range. */
export const isNetwork = (text: string) => {
  const [address = '', prefix = '0', ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
};

/** Returns whether each text is the address of a name server, with an optional port. */
export const areNameServers = (servers: readonly string[]) => {
  try {
    if (servers.length > 0) new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
};

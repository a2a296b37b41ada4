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

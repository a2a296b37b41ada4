import { isIP } from 'node:net';

/**
 * Returns false if browsers would never send cookies between the two origins (RFC 6265bis,
 * same-site). The last two labels of a host name are taken for its site; only the public suffix
 * list could determine whether a site has more labels, as under `co.uk`.
 */
export function mayShareSite(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)];
  if (first.protocol !== second.protocol) return false;
  return first.hostname === second.hostname || siteOf(first) === siteOf(second);
}

function siteOf({ hostname }: URL): string {
  const labels = hostname.split('.');
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress ? hostname : labels.slice(-2).join('.');
}

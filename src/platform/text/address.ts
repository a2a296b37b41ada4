import { malformed } from '../errors/refusal.ts';

const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;
// RFC 5321 dot-atom, ASCII only. Quoted local parts are legal but unused, and can split headers.
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
// Checked before URL parses the domain, because URL also decodes percent-encoding.
const WRITTEN_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns the form in which addresses are stored and compared: lower case, domain in ASCII. Returns
 * null if the text is not an address; nothing is trimmed or repaired.
 */
export function normalizeAddress(written: string): string | null {
  if (written.length > MAX_LENGTH) return null;
  const at = written.lastIndexOf('@');
  const local = written.slice(0, Math.max(at, 0));
  if (local.length > MAX_LOCAL_LENGTH || !LOCAL.test(local)) return null;
  const domain = normalizeDomain(written.slice(at + 1));
  if (domain === null) return null;
  const address = `${local}@${domain}`.toLowerCase();
  return address.length <= MAX_LENGTH ? address : null;
}

/** Returns the normalized address of a body's e-mail field; throws 400 if it is invalid. */
export function readAddress(written: string, pointer = '/email'): string {
  const address = normalizeAddress(written);
  if (address !== null) return address;
  throw malformed('invalid_email', 'This is not a valid e-mail address.', {
    detail: { pointer },
  });
}

/**
 * Returns the domain in lower case and ASCII, as in a normalized address; null if the text is not
 * the domain of an address.
 */
export function normalizeDomain(written: string): string | null {
  if (!WRITTEN_DOMAIN.test(written) || !URL.canParse(`http://${written}`)) return null;
  const domain = new URL(`http://${written}`).hostname;
  return DOMAIN.test(domain) ? domain : null;
}

/** Returns the domain of a normalized address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

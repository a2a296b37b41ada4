/** The origin of an absolute URI and the rest of it, without a user name or a fragment. */
const PARTS = /^([a-z][a-z\d+.-]*:\/\/[^\s/?#\\@]+)(\/[^#]*)$/i;

/**
 * Returns the URI of the only resource if `text` is equal to it after normalization of scheme, host
 * and port (RFC 3986, 6.2): clients write them in upper case, or with the default port. The path
 * must be exact. Returns any other text unchanged, so that it is refused.
 */
export function normalizeResource(text: string, publicUrl: string): string {
  const [, origin = '', path] = PARTS.exec(text) ?? [];
  const isOurs = URL.canParse(origin) && new URL(origin).origin === publicUrl && path === '/mcp';
  return isOurs ? `${publicUrl}/mcp` : text;
}

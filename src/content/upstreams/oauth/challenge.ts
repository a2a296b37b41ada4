/** How to be authorized, from the challenge of a 401 (RFC 9728, RFC 6750). */
export interface Challenge {
  resource_metadata: string | null;
  scopes: readonly string[];
}

// The lookbehind lets a name match only from its first letter; without it, matching a long name takes
// quadratic time.
const PARAMETER = /(?<![a-z_])([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/gi;

/** Reads the parameters of a `WWW-Authenticate` header; null without a challenge for a bearer token. */
export function readChallenge(header: string | undefined): Challenge | null {
  if (header === undefined || header.length > 8_192) return null;
  const bearer = /(?:^|,)\s*bearer\s(.*)$/is.exec(header)?.[1];
  if (bearer === undefined) return null;
  const parameters = new Map(
    [...bearer.matchAll(PARAMETER)].map(([, name = '', quoted, plain]) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '',
    ]),
  );
  return {
    resource_metadata: parameters.get('resource_metadata') ?? null,
    scopes: parameters.get('scope')?.split(' ').filter(isScope).slice(0, 50) ?? [],
  };
}

/** Whether a text is a scope token of RFC 6749. */
export const isScope = (text: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(text);

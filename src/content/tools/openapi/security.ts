import { resolveRef, listOf, recordOf, textOf, UnsupportedOperation } from './document.ts';
import type { OpenApiDocument } from './document.ts';

/** Credentials a tool sends with each request; its owner sets the secrets. */
export interface Credentials {
  headers: Record<string, string>;
  query: Record<string, string>;
  cookies: Record<string, string>;
  secrets: { name: string; holds: string }[];
}

/**
 * Returns the first alternative of an operation's security that a template can express. Throws
 * `UnsupportedOperation` if there is none.
 */
export function credentialsOf(
  document: OpenApiDocument,
  operation: Readonly<Record<string, unknown>>,
): Credentials {
  const alternatives = listOf(operation['security'] ?? document.root['security']);
  if (alternatives.length === 0) return none();
  for (const alternative of alternatives) {
    const credentials = combine(document, Object.keys(recordOf(alternative)));
    if (credentials !== null) return credentials;
  }
  throw new UnsupportedOperation(
    'unsupported_security',
    'The operation requires an unsupported kind of credential.',
  );
}

function combine(document: OpenApiDocument, names: readonly string[]): Credentials | null {
  const schemes = recordOf(recordOf(document.root['components'])['securitySchemes']);
  const all = none();
  for (const name of names) {
    if (!Object.hasOwn(schemes, name)) return null;
    const credential = credentialOf(resolveRef(document, schemes[name]), secretName(name));
    if (credential === null) return null;
    Object.assign(all.headers, credential.headers);
    Object.assign(all.query, credential.query);
    Object.assign(all.cookies, credential.cookies);
    all.secrets.push({ name: secretName(name), holds: credential.holds });
  }
  return all;
}

const none = (): Credentials => ({ headers: {}, query: {}, cookies: {}, secrets: [] });

interface Credential {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  cookies?: Record<string, string>;
  holds: string;
}

function credentialOf(
  scheme: Readonly<Record<string, unknown>>,
  secret: string,
): Credential | null {
  const { type, in: location, name } = scheme;
  const value = `{{secret.${secret}}}`;
  const bearer = { headers: { Authorization: `Bearer ${value}` }, holds: 'an access token' };
  if (type === 'oauth2' || type === 'openIdConnect') return bearer;
  if (type === 'apiKey' && typeof name === 'string' && location === 'header')
    return { headers: { [name]: value }, holds: 'an API key' };
  if (type === 'apiKey' && typeof name === 'string' && location === 'query')
    return { query: { [name]: value }, holds: 'an API key' };
  if (type === 'apiKey' && typeof name === 'string' && location === 'cookie')
    return { cookies: { [name]: value }, holds: 'the value of the cookie' };
  if (type !== 'http') return null;
  const form = textOf(scheme['scheme']).toLowerCase();
  if (form === 'bearer') return bearer;
  const basic = { headers: { Authorization: `Basic ${value}` }, holds: 'user:password in base64' };
  return form === 'basic' ? basic : null;
}

const secretName = (scheme: string) =>
  `_${scheme}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^_(?=[A-Z])/, '')
    .slice(0, 64);

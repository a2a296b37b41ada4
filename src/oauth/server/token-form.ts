import type { Queryable } from '../../platform/postgres/database.ts';
import { keyOf } from './adapter.ts';
import { normalizeResource } from './resource.ts';
import { findArtifact } from './store.ts';

/**
 * Changes a form to the token endpoint where oidc-provider is stricter than clients are: it compares
 * `resource` as text, and demands `redirect_uri`, which OAuth 2.1 no longer requires. Everything
 * else stays as it was sent, repeated parameters included, so that they are refused.
 */
export async function relaxTokenForm(
  pool: Queryable,
  publicUrl: string,
  form: Buffer,
): Promise<Buffer> {
  const sent = new URLSearchParams(form.toString());
  const relaxed = new URLSearchParams();
  for (const [name, value] of sent)
    if (name === 'resource') relaxed.append(name, normalizeResource(value, publicUrl));
    else if (name !== 'redirect_uri' || value !== '') relaxed.append(name, value);
  const redirectUri = await redirectUriOf(pool, publicUrl, sent);
  if (redirectUri !== null) relaxed.append('redirect_uri', redirectUri);
  return Buffer.from(relaxed.toString());
}

/**
 * Returns the redirect URI of the code that a form exchanges without naming it; null if the form has
 * to name one. PKCE proves what the URI was meant to: a code without a challenge needs it.
 */
async function redirectUriOf(
  pool: Queryable,
  publicUrl: string,
  sent: URLSearchParams,
): Promise<string | null> {
  const [code, ...others] = sent.getAll('code');
  const isExchange = sent.get('grant_type') === 'authorization_code';
  const isNamed = sent.getAll('redirect_uri').some((uri) => uri !== '');
  if (!isExchange || isNamed || code === undefined || others.length > 0) return null;
  const found = await findArtifact(pool, keyOf('AuthorizationCode', code));
  // Any address: the library refuses an unknown code before it looks at that.
  if (found === null) return publicUrl;
  const { codeChallenge, redirectUri } = found.payload;
  return codeChallenge === undefined ? null : (redirectUri as string);
}

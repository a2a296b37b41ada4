import type { KoaContextWithOIDC } from 'oidc-provider';
import { normalizeResource } from './resource.ts';

/** OpenID Connect parameters that clients send although nothing here uses them. */
const UNUSED = [
  'nonce',
  'max_age',
  'acr_values',
  'claims',
  'claims_locales',
  'display',
  'id_token_hint',
];
/** Prompts that consent satisfies: it always shows the account, and offers another one. */
const ALWAYS_SHOWN = new Set(['login', 'consent', 'select_account']);

/** A scope of OpenID Connect that, like `openid`, is ignored: refresh tokens do not depend on it. */
const OFFLINE_ACCESS = /(?<=^| )offline_access(?= |$)/g;

/**
 * Changes an authorization request where oidc-provider is stricter than clients are. Repeated
 * parameters stay as they are, so that they are refused.
 */
export function relaxAuthorization(ctx: KoaContextWithOIDC, publicUrl: string): void {
  const query = { ...ctx.query };
  for (const name of UNUSED) if (typeof query[name] === 'string') delete query[name];
  const { prompt, response_mode, resource, scope } = query;
  if (typeof prompt === 'string' && prompt.split(' ').every((one) => ALWAYS_SHOWN.has(one)))
    delete query['prompt'];
  // The library would answer with a page that our content security policy does not let run.
  if (typeof response_mode === 'string' && response_mode !== 'query')
    query['response_mode'] = 'unsupported';
  // The library drops `offline_access`, and would take a scope without other names as missing.
  if (typeof scope === 'string') query['scope'] = scope.replace(OFFLINE_ACCESS, 'openid');
  if (typeof resource === 'string') query['resource'] = normalizeResource(resource, publicUrl);
  if (Array.isArray(resource))
    query['resource'] = resource.map((one) => normalizeResource(one, publicUrl));
  ctx.query = query;
}

const NOT_ALLOWED = 'requested grant type is not allowed for this client';

/** RFC 6749 has an error of its own for a grant type that a client may not use. */
export function nameUnauthorizedClient(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as { error?: string; error_description?: string } | null;
  if (body?.error === 'invalid_request' && body.error_description === NOT_ALLOWED)
    ctx.body = { ...body, error: 'unauthorized_client' };
}

const SESSION_COOKIE = /^_session(?:\.sig)?=/;

/** Removes the library's session cookie: people have a session of the service. */
export function dropSessionCookie(ctx: KoaContextWithOIDC): void {
  const set = ctx.response.get('set-cookie') as unknown as string | string[] | undefined;
  const rest = [set ?? []].flat().filter((cookie) => !SESSION_COOKIE.test(cookie));
  ctx.remove('set-cookie');
  if (rest.length > 0) ctx.set('set-cookie', rest);
}

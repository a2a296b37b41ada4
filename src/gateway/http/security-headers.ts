const YEAR_SECONDS = 31_536_000;

/** Returns the security headers of every response; pages replace the content security policy. */
export const securityHeaders = (isHttps: boolean): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-site',
  ...(isHttps ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {}),
});

import type { Cookie } from '../../caller/route.ts';
import { accessSeconds } from './tokens.ts';

export interface CookieNames {
  session: string;
  refresh: string;
  /** Cookie of a third-party sign-in, until its callback. */
  flow: string;
  /** False only on loopback http, where a browser would drop a Secure cookie. */
  isSecure: boolean;
}

export function cookieNames(publicUrl: string): CookieNames {
  const isSecure = publicUrl.startsWith('https:');
  return {
    session: isSecure ? '__Host-session' : 'session',
    refresh: isSecure ? '__Secure-refresh' : 'refresh',
    flow: isSecure ? '__Secure-flow' : 'flow',
    isSecure,
  };
}

/** Browsers send the refresh token only to endpoints under this path. */
const REFRESH_PATH = '/api/auth';
const FLOW_PATH = '/api/auth';
const FLOW_SECONDS = 600;

export const sessionCookies = (
  names: CookieNames,
  session: { access_token: string; refresh_token: string; refresh_seconds: number },
): Cookie[] => [
  {
    name: names.session,
    value: session.access_token,
    path: '/',
    same_site: 'lax',
    max_age: accessSeconds,
  },
  {
    name: names.refresh,
    value: session.refresh_token,
    path: REFRESH_PATH,
    same_site: 'strict',
    max_age: session.refresh_seconds,
  },
];

export const clearedCookies = (names: CookieNames): Cookie[] => [
  { name: names.session, value: '', path: '/', same_site: 'lax', max_age: 0 },
  { name: names.refresh, value: '', path: REFRESH_PATH, same_site: 'strict', max_age: 0 },
];

/** Builds the flow cookie. Lax, because the provider's site navigates to the callback. */
export const flowCookie = (names: CookieNames, secret: string): Cookie => ({
  name: names.flow,
  value: secret,
  path: FLOW_PATH,
  same_site: 'lax',
  max_age: FLOW_SECONDS,
});

export const clearedFlowCookie = (names: CookieNames): Cookie => ({
  ...flowCookie(names, ''),
  max_age: 0,
});

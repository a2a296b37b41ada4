import type { Cookie } from '../../caller/route.ts';
import { accessSeconds } from './tokens.ts';

export interface CookieNames {
  session: string;
  refresh: string;
  /** False on loopback http alone, where a browser would drop what is Secure. */
  isSecure: boolean;
}

export function cookieNames(publicUrl: string): CookieNames {
  const isSecure = publicUrl.startsWith('https:');
  return {
    session: isSecure ? '__Host-session' : 'session',
    refresh: isSecure ? '__Secure-refresh' : 'refresh',
    isSecure,
  };
}

/** Nothing but sign-in, refresh and sign-out ever receives the refresh token. */
const REFRESH_PATH = '/api/auth';

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

import { createRoute } from '@tanstack/react-router';
import { isId } from '../api/ids.ts';
import { pagesWith } from '../frame/pages-with.ts';
import { root } from '../frame/routes.tsx';

const page = pagesWith();

/** Where to go after signing in: only paths of the dashboard, and the consent page. */
const RETURN_PATH = /^\/(?:app|oauth\/consent)(?:[/?#]|$)/;

/** Returns a path as the browser would resolve it, if it is one to return to. */
function returnPathOf(to: unknown): string | null {
  const url = typeof to === 'string' ? URL.parse(to, location.origin) : null;
  if (url === null || url.origin !== location.origin) return null;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return RETURN_PATH.test(path) ? path : null;
}

/** `sso` is a connection whose sign-in was started from elsewhere, and waits for the person. */
function signInSearch({ to, sso }: Record<string, unknown>): { to?: string; sso?: string } {
  const path = returnPathOf(to);
  return { ...(path === null ? {} : { to: path }), ...(isId(sso) ? { sso } : {}) };
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: page(() => import('./sign-in-page.tsx'), 'SignInPage'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: page(() => import('./sign-up-page.tsx'), 'SignUpPage'),
});

const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot',
  component: page(() => import('./forgot-page.tsx'), 'ForgotPage'),
});

export const accountRoutes = [signIn, signUp, forgot] as const;

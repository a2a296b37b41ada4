import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../frame/routes.tsx';

/** Where to go after signing in: only paths of the dashboard, and the consent page. */
const RETURN_PATH = /^\/(?:app|oauth\/consent)(?:\/|$|\?)/;

const returnPath = ({ to }: Record<string, unknown>): { to?: string } =>
  typeof to === 'string' && RETURN_PATH.test(to) ? { to } : {};

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: returnPath,
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./sign-up-page.tsx'), 'SignUpPage'),
});

const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot',
  component: lazyRouteComponent(() => import('./forgot-page.tsx'), 'ForgotPage'),
});

export const accountRoutes = [signIn, signUp, forgot] as const;

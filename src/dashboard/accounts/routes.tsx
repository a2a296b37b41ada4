import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { root } from '../frame/routes.tsx';

const page = pagesWith();

/** Where to go after signing in: only paths of the dashboard, and the consent page. */
const RETURN_PATH = /^\/(?:app|oauth\/consent)(?:\/|$|\?)/;

const returnPath = ({ to }: Record<string, unknown>): { to?: string } =>
  typeof to === 'string' && RETURN_PATH.test(to) ? { to } : {};

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: returnPath,
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

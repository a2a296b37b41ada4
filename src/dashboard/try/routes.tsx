import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app, root } from '../frame/routes.tsx';
import { trySearchOf } from './items.ts';

const page = pagesWith('try', 'connections', 'keys');

const tryPage = createRoute({
  getParentRoute: () => app,
  path: '/try',
  validateSearch: trySearchOf,
  component: page(() => import('./try-page.tsx'), 'TryPage'),
});

export const tryRoutes = [tryPage] as const;

/** The window of a decision ends here, without the frame of the other pages. */
export const tryCallback = createRoute({
  getParentRoute: () => root,
  path: '/app/try/callback',
  // The page sends the whole answer on to the one that waits for it, which checks it.
  validateSearch: (answer: Record<string, unknown>) => answer as { code?: string },
  component: page(() => import('./callback-page.tsx'), 'CallbackPage'),
});

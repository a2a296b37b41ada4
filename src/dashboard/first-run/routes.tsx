import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { root } from '../frame/routes.tsx';

const page = pagesWith('first-run');

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  component: page(() => import('./first-run-page.tsx'), 'FirstRunPage'),
});

export const firstRunRoutes = [firstRun] as const;

import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { app } from '../frame/routes.tsx';
import { callFilterOf } from './calls-query.ts';

const usage = createRoute({
  getParentRoute: () => app,
  path: '/usage',
  validateSearch: callFilterOf,
  component: lazyRouteComponent(() => import('./usage-page.tsx'), 'UsagePage'),
});

export const usageRoutes = [usage] as const;

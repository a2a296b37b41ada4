import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { callFilterOf } from './calls-query.ts';

const page = pagesWith('usage', 'keys', 'connect', 'overview');

const usage = createRoute({
  getParentRoute: () => app,
  path: '/usage',
  validateSearch: callFilterOf,
  component: page(() => import('./usage-page.tsx'), 'UsagePage'),
});

export const usageRoutes = [usage] as const;

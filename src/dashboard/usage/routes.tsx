import { createRoute } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { callFilterOf } from './call-filter.ts';

const page = pagesWith(
  'usage',
  'connections',
  'connect',
  'keys',
  'organizations',
  'overview',
  'permissions',
);

/** The page of the usage of a person or an organization, below the parent of their pages. */
export const usageRoutesBelow = <Parent extends AnyRoute>(getParentRoute: () => Parent) =>
  [
    createRoute({
      getParentRoute,
      path: '/usage',
      validateSearch: callFilterOf,
      component: page(() => import('./usage-page.tsx'), 'UsagePage'),
    }),
  ] as const;

/** The page of a person's own usage. */
export const usageRoutes = usageRoutesBelow(() => app);

import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';

const page = pagesWith('overview', 'usage');

const overview = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: page(() => import('./overview-page.tsx'), 'OverviewPage'),
});

export const overviewRoutes = [overview] as const;

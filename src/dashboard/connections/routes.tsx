import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { app } from '../frame/routes.tsx';
import { explainSearchOf } from '../keys/key-search.ts';
import type { ExplainSearch } from '../keys/key-search.ts';

const connections = createRoute({
  getParentRoute: () => app,
  path: '/connections',
  component: lazyRouteComponent(() => import('./connections-page.tsx'), 'ConnectionsPage'),
});

const connection = createRoute({
  getParentRoute: () => app,
  path: '/connections/$connectionId',
  validateSearch: (
    search: Record<string, unknown>,
  ): ExplainSearch & { tab?: 'access' | 'explain' } => ({
    ...explainSearchOf(search),
    ...(search['tab'] === 'explain' ? { tab: 'explain' } : {}),
  }),
  component: lazyRouteComponent(() => import('./connection-page.tsx'), 'ConnectionPage'),
});

export const connectionRoutes = [connections, connection] as const;

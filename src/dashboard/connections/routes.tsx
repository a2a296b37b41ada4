import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { explainSearchOf } from '../keys/key-search.ts';
import type { ExplainSearch } from '../keys/key-search.ts';

const page = pagesWith('connections', 'clients', 'keys');

const connections = createRoute({
  getParentRoute: () => app,
  path: '/connections',
  component: page(() => import('./connections-page.tsx'), 'ConnectionsPage'),
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
  component: page(() => import('./connection-page.tsx'), 'ConnectionPage'),
});

export const connectionRoutes = [connections, connection] as const;

import { createRoute } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { explainSearchOf } from '../keys/key-search.ts';
import type { ExplainSearch } from '../keys/key-search.ts';

const page = pagesWith('connections', 'clients', 'keys', 'organizations', 'permissions');

/** The pages of the connections of a person or an organization, below the parent of their pages. */
export const connectionRoutesBelow = <Parent extends AnyRoute>(getParentRoute: () => Parent) =>
  [
    createRoute({
      getParentRoute,
      path: '/connections',
      validateSearch: ({ client }: Record<string, unknown>): { client?: string } =>
        typeof client === 'string' ? { client } : {},
      component: page(() => import('./connections-page.tsx'), 'ConnectionsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/connections/$connectionId',
      validateSearch: (
        search: Record<string, unknown>,
      ): ExplainSearch & { tab?: 'access' | 'explain' } => ({
        ...explainSearchOf(search),
        ...(search['tab'] === 'explain' ? { tab: 'explain' } : {}),
      }),
      component: page(() => import('./connection-page.tsx'), 'ConnectionPage'),
    }),
  ] as const;

/** The pages of a person's own connections. */
export const connectionRoutes = connectionRoutesBelow(() => app);

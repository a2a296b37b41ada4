import { createRoute } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import { isId } from '../api/ids.ts';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';

const page = pagesWith('clients', 'connections', 'keys', 'mcp', 'organizations', 'permissions');

/** The pages of the OAuth clients of a person or an organization, below the parent of their pages. */
export const clientRoutesBelow = <Parent extends AnyRoute>(getParentRoute: () => Parent) =>
  [
    createRoute({
      getParentRoute,
      path: '/clients',
      component: page(() => import('./clients-page.tsx'), 'ClientsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/clients/new',
      validateSearch: ({
        from,
        preset,
      }: Record<string, unknown>): { from?: string; preset?: string } => ({
        ...(isId(from) ? { from } : {}),
        ...(typeof preset === 'string' ? { preset } : {}),
      }),
      component: page(() => import('./new-client-page.tsx'), 'NewClientPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/clients/$clientId',
      validateSearch: ({ preset }: Record<string, unknown>): { preset?: string } =>
        typeof preset === 'string' ? { preset } : {},
      component: page(() => import('./client-page.tsx'), 'ClientPage'),
    }),
  ] as const;

/** The pages of a person's own clients. */
export const clientRoutes = clientRoutesBelow(() => app);

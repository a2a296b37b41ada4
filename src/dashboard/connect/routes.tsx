import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { app } from '../frame/routes.tsx';

const connect = createRoute({
  getParentRoute: () => app,
  path: '/connect',
  validateSearch: ({
    key,
    client,
  }: Record<string, unknown>): { key?: string; client?: string } => ({
    ...(typeof key === 'string' ? { key } : {}),
    ...(typeof client === 'string' ? { client } : {}),
  }),
  component: lazyRouteComponent(() => import('./connect-page.tsx'), 'ConnectPage'),
});

export const connectRoutes = [connect] as const;

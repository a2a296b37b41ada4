import { createRoute } from '@tanstack/react-router';
import { isId } from '../api/ids.ts';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';

const page = pagesWith('connect', 'keys');

const connect = createRoute({
  getParentRoute: () => app,
  path: '/connect',
  validateSearch: ({
    key,
    client,
  }: Record<string, unknown>): { key?: string; client?: string } => ({
    ...(isId(key) ? { key } : {}),
    ...(typeof client === 'string' ? { client } : {}),
  }),
  component: page(() => import('./connect-page.tsx'), 'ConnectPage'),
});

export const connectRoutes = [connect] as const;

import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';

const page = pagesWith('clients', 'keys');

const clients = createRoute({
  getParentRoute: () => app,
  path: '/clients',
  component: page(() => import('./clients-page.tsx'), 'ClientsPage'),
});

const newClient = createRoute({
  getParentRoute: () => app,
  path: '/clients/new',
  validateSearch: ({
    from,
    preset,
  }: Record<string, unknown>): { from?: string; preset?: string } => ({
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof preset === 'string' ? { preset } : {}),
  }),
  component: page(() => import('./new-client-page.tsx'), 'NewClientPage'),
});

const client = createRoute({
  getParentRoute: () => app,
  path: '/clients/$clientId',
  validateSearch: ({ preset }: Record<string, unknown>): { preset?: string } =>
    typeof preset === 'string' ? { preset } : {},
  component: page(() => import('./client-page.tsx'), 'ClientPage'),
});

export const clientRoutes = [clients, newClient, client] as const;

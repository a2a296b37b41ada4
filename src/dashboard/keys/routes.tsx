import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { app } from '../frame/routes.tsx';

const keys = createRoute({
  getParentRoute: () => app,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});

const newKey = createRoute({
  getParentRoute: () => app,
  path: '/keys/new',
  component: lazyRouteComponent(() => import('./new-key-page.tsx'), 'NewKeyPage'),
});

const key = createRoute({
  getParentRoute: () => app,
  path: '/keys/$keyId',
  component: lazyRouteComponent(() => import('./key-page.tsx'), 'KeyPage'),
});

export const keyRoutes = [keys, newKey, key] as const;

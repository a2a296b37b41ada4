import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { app } from '../frame/routes.tsx';
import { keySearchOf, newKeySearchOf } from './key-search.ts';

const keys = createRoute({
  getParentRoute: () => app,
  path: '/keys',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
    typeof q === 'string' && q !== '' ? { q } : {},
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});

const newKey = createRoute({
  getParentRoute: () => app,
  path: '/keys/new',
  validateSearch: newKeySearchOf,
  component: lazyRouteComponent(() => import('./new-key-page.tsx'), 'NewKeyPage'),
});

const key = createRoute({
  getParentRoute: () => app,
  path: '/keys/$keyId',
  validateSearch: keySearchOf,
  component: lazyRouteComponent(() => import('./key-page.tsx'), 'KeyPage'),
});

export const keyRoutes = [keys, newKey, key] as const;

import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { keySearchOf, newKeySearchOf } from './key-search.ts';

const page = pagesWith('keys', 'connect', 'usage', 'overview', 'connections');

const keys = createRoute({
  getParentRoute: () => app,
  path: '/keys',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
    typeof q === 'string' && q !== '' ? { q } : {},
  component: page(() => import('./keys-page.tsx'), 'KeysPage'),
});

const newKey = createRoute({
  getParentRoute: () => app,
  path: '/keys/new',
  validateSearch: newKeySearchOf,
  component: page(() => import('./new-key-page.tsx'), 'NewKeyPage'),
});

const key = createRoute({
  getParentRoute: () => app,
  path: '/keys/$keyId',
  validateSearch: keySearchOf,
  component: page(() => import('./key-page.tsx'), 'KeyPage'),
});

export const keyRoutes = [keys, newKey, key] as const;

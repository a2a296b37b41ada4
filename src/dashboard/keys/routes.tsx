import type { QueryClient } from '@tanstack/react-query';
import { createRoute } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { keySearchOf, newKeySearchOf } from './key-search.ts';
import { foundKeysQuery } from './keys.ts';
import { keysPath } from '../organizations/use-owner.ts';

const page = pagesWith('keys', 'connect', 'connections', 'mcp', 'overview', 'permissions', 'usage');

/** The pages of the keys of a person or an organization, below the parent of their pages. */
export const keyRoutesBelow = <Parent extends AnyRoute>(getParentRoute: () => Parent) =>
  [
    createRoute({
      getParentRoute,
      path: '/keys',
      validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
        typeof q === 'string' && q !== '' ? { q } : {},
      loaderDeps: ({ search: { q = '' } }) => ({ q }),
      // The list is read while the page's files are loaded.
      loader({ context, params, deps: { q } }) {
        const { queries } = context as { queries: QueryClient };
        const { organizationId } = params as { organizationId?: string };
        void queries.prefetchInfiniteQuery(foundKeysQuery(keysPath(organizationId), q));
      },
      component: page(() => import('./keys-page.tsx'), 'KeysPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/keys/new',
      validateSearch: newKeySearchOf,
      component: page(() => import('./new-key-page.tsx'), 'NewKeyPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/keys/$keyId',
      validateSearch: keySearchOf,
      component: page(() => import('./key-page.tsx'), 'KeyPage'),
    }),
  ] as const;

/** The pages of a person's own keys. */
export const keyRoutes = keyRoutesBelow(() => app);

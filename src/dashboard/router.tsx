import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import { ownAccessRoutes } from './access/routes.tsx';
import { accountRoutes } from './accounts/routes.tsx';
import { clientRoutes } from './clients/routes.tsx';
import { connectRoutes } from './connect/routes.tsx';
import { connectionRoutes } from './connections/routes.tsx';
import { contentRoutes } from './content/routes.tsx';
import { firstRunRoutes } from './first-run/routes.tsx';
import { FailedPage } from './frame/failed-page.tsx';
import { app, root } from './frame/routes.tsx';
import { keyRoutes } from './keys/routes.tsx';
import { mcpRoutes } from './mcp/routes.tsx';
import { organizationRoutes } from './organizations/routes.tsx';
import { overviewRoutes } from './overview/routes.tsx';
import { LoadingPage } from './parts/loading.tsx';
import { settingsRoutes } from './settings/routes.tsx';
import { tryCallback, tryRoutes } from './try/routes.tsx';
import { usageRoutes } from './usage/routes.tsx';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/app' });
  },
});

const routes = root.addChildren([
  home,
  ...accountRoutes,
  tryCallback,
  ...firstRunRoutes,
  app.addChildren([
    ...overviewRoutes,
    ...keyRoutes,
    ...mcpRoutes,
    ...connectRoutes,
    ...contentRoutes,
    ...settingsRoutes,
    ...connectionRoutes,
    ...clientRoutes,
    ...tryRoutes,
    ...usageRoutes,
    ...ownAccessRoutes,
    ...organizationRoutes,
  ]),
]);

/** Creates the router of all pages; each page is loaded when it is first opened. */
export const createAppRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: routes,
    context: { queries },
    // Pages get what their route reads from the address, and nothing else.
    search: { strict: true },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: FailedPage,
    defaultPendingComponent: LoadingPage,
  });

type AppRouter = ReturnType<typeof createAppRouter>;

/** Starts to load the files of the page whose address is open, before it is known who is signed in. */
export function loadFilesOf(router: AppRouter): void {
  const byId: Record<string, AnyRoute> = router.routesById;
  for (const { routeId } of router.matchRoutes(router.latestLocation))
    // The library notes a failure, and tries again when the page is shown.
    void router.loadRouteChunk(byId[routeId]!);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}

import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  notFound,
  Outlet,
  redirect,
  rootRouteId,
} from '@tanstack/react-router';
import { isId } from '../api/ids.ts';
import { actFor, RequestError } from '../api/request.ts';
import { profileQuery } from '../api/session.ts';
import { FailedDashboard, MissingDashboard, MissingPage } from './failed-page.tsx';
import { Frame } from './frame.tsx';

/** The parent of all pages. */
export const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: MissingDashboard,
  errorComponent: FailedDashboard,
});

/** The parent of the pages that need a session. */
export const app = createRoute({
  getParentRoute: () => root,
  path: '/app',
  component: Frame,
  errorComponent: FailedDashboard,
  notFoundComponent: MissingPage,
  async beforeLoad({ context, location, params }) {
    if (!Object.values(params).every(isId)) throw notFound({ routeId: rootRouteId });
    try {
      await context.queries.ensureQueryData(profileQuery);
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 401) throw error;
      actFor(null);
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    }
  },
});

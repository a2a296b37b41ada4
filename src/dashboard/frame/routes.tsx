import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { RequestError } from '../api/request.ts';
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
  async beforeLoad({ context, location }) {
    try {
      await context.queries.ensureQueryData(profileQuery);
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    }
  },
});

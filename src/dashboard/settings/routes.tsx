import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { app } from '../frame/routes.tsx';
import { readAuditFilters } from './audit.ts';
import { SettingsFrame } from './settings-frame.tsx';

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: SettingsFrame,
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage'),
});

const security = createRoute({
  getParentRoute: () => settings,
  path: '/security',
  component: lazyRouteComponent(() => import('./security-page.tsx'), 'SecurityPage'),
});

const sessions = createRoute({
  getParentRoute: () => settings,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
});

const audit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: readAuditFilters,
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
});

const data = createRoute({
  getParentRoute: () => settings,
  path: '/data',
  component: lazyRouteComponent(() => import('./data-page.tsx'), 'DataPage'),
});

export const settingsRoutes = [
  settings.addChildren([profile, security, sessions, audit, data]),
] as const;

import { createRoute } from '@tanstack/react-router';
import { readAuditFilters } from '../audit/audit.ts';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';

const page = pagesWith('audit', 'settings', 'keys');

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: page(() => import('./settings-frame.tsx'), 'SettingsFrame'),
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: page(() => import('./profile-page.tsx'), 'ProfilePage'),
});

const security = createRoute({
  getParentRoute: () => settings,
  path: '/security',
  component: page(() => import('./security-page.tsx'), 'SecurityPage'),
});

const sessions = createRoute({
  getParentRoute: () => settings,
  path: '/sessions',
  component: page(() => import('./sessions-page.tsx'), 'SessionsPage'),
});

const audit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: readAuditFilters,
  component: page(() => import('./audit-page.tsx'), 'AuditPage'),
});

const data = createRoute({
  getParentRoute: () => settings,
  path: '/data',
  component: page(() => import('./data-page.tsx'), 'DataPage'),
});

export const settingsRoutes = [
  settings.addChildren([profile, security, sessions, audit, data]),
] as const;

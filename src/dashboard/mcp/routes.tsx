import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { app } from '../frame/routes.tsx';

const mcpSettings = createRoute({
  getParentRoute: () => app,
  path: '/mcp',
  component: lazyRouteComponent(() => import('./mcp-settings-page.tsx'), 'McpSettingsPage'),
});

export const mcpRoutes = [mcpSettings] as const;

import { createRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';

const page = pagesWith('mcp');

const mcpSettings = createRoute({
  getParentRoute: () => app,
  path: '/mcp',
  component: page(() => import('./mcp-settings-page.tsx'), 'McpSettingsPage'),
});

export const mcpRoutes = [mcpSettings] as const;

import { createRoute } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import { isId } from '../api/ids.ts';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { ITEM_TABS } from './item-tabs.ts';
import type { ItemTab } from './item-tabs.ts';
import type { Sort } from './items.ts';

const page = pagesWith('content', 'keys', 'mcp', 'permissions');

interface ListSearch {
  q?: string | undefined;
  sort?: Sort | undefined;
}

/** The space of a server: a person's own, unless it names an organization. */
interface ConnectSearch {
  organization?: string;
  team?: string;
  own?: true;
}

const listSearch = ({ q, sort }: Record<string, unknown>): ListSearch => ({
  ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
  ...(sort === '-created_at' || sort === 'name' ? { sort } : {}),
});

const itemSearch = ({ tab }: Record<string, unknown>): { tab?: ItemTab | undefined } => {
  const known = ITEM_TABS.find((one) => one === tab);
  return known === undefined ? {} : { tab: known };
};

const promptPages = () => import('./prompts/pages.tsx');
const resourcePages = () => import('./resources/pages.tsx');
const toolPages = () => import('./tools/pages.tsx');
const upstreamPages = () => import('./tools/upstream-page.tsx');
const agentPages = () => import('./agents/pages.tsx');

/** The pages of a space's content, below the parent that sets the space, and below a path. */
export const contentRoutesBelow = <Parent extends AnyRoute, const Below extends string>(
  getParentRoute: () => Parent,
  below: Below,
) =>
  [
    createRoute({
      getParentRoute,
      path: `${below}/prompts`,
      validateSearch: listSearch,
      component: page(promptPages, 'PromptsPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/prompts/new`,
      component: page(promptPages, 'NewPromptPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/prompts/$itemId`,
      validateSearch: itemSearch,
      component: page(promptPages, 'PromptPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/resources`,
      validateSearch: listSearch,
      component: page(resourcePages, 'ResourcesPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/resources/new`,
      component: page(resourcePages, 'NewResourcePage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/resources/$itemId`,
      validateSearch: itemSearch,
      component: page(resourcePages, 'ResourcePage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/agents`,
      validateSearch: listSearch,
      component: page(agentPages, 'AgentsPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/agents/new`,
      component: page(agentPages, 'NewAgentPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/agents/$itemId`,
      validateSearch: itemSearch,
      component: page(agentPages, 'AgentPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/tools`,
      validateSearch: listSearch,
      component: page(toolPages, 'ToolsPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/tools/new`,
      component: page(toolPages, 'NewToolPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/tools/$itemId`,
      validateSearch: itemSearch,
      component: page(toolPages, 'ToolPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/tools/import`,
      component: page(() => import('./tools/import-page.tsx'), 'ImportPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/tools/upstreams`,
      component: page(() => import('./tools/upstreams-page.tsx'), 'UpstreamsPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/tools/upstreams/import`,
      component: page(() => import('./tools/import-servers-page.tsx'), 'ImportServersPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/tools/upstreams/new`,
      component: page(upstreamPages, 'NewUpstreamPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${below}/tools/upstreams/$upstreamId`,
      component: page(upstreamPages, 'UpstreamPage'),
    }),
  ] as const;

const connectPages = () => import('./tools/connect-server-page.tsx');
const isIdText = (value: unknown) => typeof value === 'string' && isId(value);

/** The pages of a person's own content, and those that connect an account at any space's server. */
export const contentRoutes = [
  ...contentRoutesBelow(() => app, ''),
  createRoute({
    getParentRoute: () => app,
    path: '/connect-server',
    component: page(connectPages, 'ConnectedServerPage'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/connect-server/$upstreamId',
    validateSearch: ({ organization, team, own }: Record<string, unknown>): ConnectSearch => ({
      ...(isIdText(organization) ? { organization } : {}),
      ...(isIdText(team) ? { team } : {}),
      ...(own === true ? { own } : {}),
    }),
    component: page(connectPages, 'ConnectServerPage'),
  }),
] as const;

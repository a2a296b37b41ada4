import type { Route } from '../caller/route.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Connection, Database } from '../platform/postgres/database.ts';
import { createAgents } from './agents/agents.ts';
import type { Agents } from './agents/agents.ts';
import { agentRoutes } from './agents/routes.ts';
import type { ItemsDependencies } from './items/items.ts';
import { countFamilies, findOwnItems } from './items/store.ts';
import type { FamilyCounts } from './items/store.ts';
import { createPins } from './pins/pins.ts';
import { createPrompts } from './prompts/prompts.ts';
import type { Prompts } from './prompts/prompts.ts';
import { promptRoutes } from './prompts/routes.ts';
import { createResources } from './resources/resources.ts';
import type { Resources } from './resources/resources.ts';
import { resourceRoutes } from './resources/routes.ts';
import { createDesignation } from './selection/designation.ts';
import { designationRoutes, selectionRoutes } from './selection/routes.ts';
import { createSelection } from './selection/selection.ts';
import { spaceFileRoutes } from './space-file/routes.ts';
import { createSpaceFiles } from './space-file/space-file.ts';
import type { SpaceFileDependencies } from './space-file/dependencies.ts';
import { personalMount } from './spaces/mount.ts';
import {
  createContentsReader,
  deleteSpacesOf,
  insertOrganizationSpace,
  insertPersonalSpace,
} from './spaces/spaces.ts';
import type { SpaceContents } from './spaces/spaces.ts';
import { customToolRoutes } from './tools/routes.ts';
import { createCustomTools } from './tools/tools.ts';
import type { CustomTools, CustomToolsDependencies } from './tools/tools.ts';
import { upstreamRoutes } from './upstreams/routes.ts';
import { createUpstreams } from './upstreams/upstreams.ts';
import type { UpstreamsDependencies } from './upstreams/upstreams.ts';

/** Everything agents can be given: selected built-in items and user-defined ones. */
export interface Content {
  prompts: Prompts;
  resources: Resources;
  agents: Agents;
  customTools: CustomTools;
  runnable: CustomTools['runnable'];
  /** Reads all items that agents of a space could get; `visibility` decides which they do. */
  readContents(space_id: string): Promise<SpaceContents>;
  /** Creates an account's personal space, in the transaction that creates the account. */
  addPersonalSpace: typeof insertPersonalSpace;
  /** Creates the space of an organization's catalog; and deletes all spaces of one. */
  organizationSpaces: { add: typeof insertOrganizationSpace; remove: typeof deleteSpacesOf };
  /** Number of items per family in a space; `selectedTools` counts its selected built-in tools. */
  counts(space_id: string): Promise<FamilyCounts>;
  selectedTools(space_id: string): Promise<number>;
  /** Returns those of the given ids that are items of the space, with their families. */
  ownItems: typeof findOwnItems;
  routes: readonly Route[];
  /** This module's parts of the account's export, by name. */
  exports: Readonly<
    Record<string, (connection: Connection, account_id: string, most: number) => unknown>
  >;
  close(): Promise<void>;
}

export interface ContentDependencies
  extends
    ItemsDependencies,
    Omit<CustomToolsDependencies, 'pins' | 'upstreams'>,
    Omit<UpstreamsDependencies, 'pins'> {
  database: Database;
  audit: SpaceFileDependencies['audit'];
  outbound: UpstreamsDependencies['outbound'];
  catalog: Catalog;
}

export function createContent(dependencies: ContentDependencies): Content {
  const selection = createSelection(dependencies);
  const prompts = createPrompts(dependencies);
  const resources = createResources(dependencies);
  const agents = createAgents(dependencies);
  const pins = createPins(dependencies);
  const upstreams = createUpstreams({ ...dependencies, pins });
  const customTools = createCustomTools({ ...dependencies, pins, upstreams });
  const spaceFiles = createSpaceFiles({
    ...dependencies,
    ...{ selection, upstreams, pins, customTools },
    items: { resources, prompts, custom_tools: customTools, agents },
  });
  return {
    prompts,
    resources,
    agents,
    customTools,
    runnable: customTools.runnable,
    addPersonalSpace: insertPersonalSpace,
    organizationSpaces: { add: insertOrganizationSpace, remove: deleteSpacesOf },
    readContents: createContentsReader({
      ...dependencies,
      selected: selection.selected,
      held: pins.held,
    }),
    counts: (space_id) => countFamilies(dependencies.database.pool, space_id),
    selectedTools: async (space_id) => (await selection.settings(space_id)).tools.length,
    ownItems: findOwnItems,
    routes: [
      ...selectionRoutes(selection, personalMount),
      ...designationRoutes(createDesignation(dependencies)),
      ...promptRoutes(prompts, personalMount),
      ...resourceRoutes(resources, personalMount),
      ...customToolRoutes(customTools, personalMount),
      ...agentRoutes(agents, personalMount),
      ...upstreamRoutes(upstreams, personalMount),
      ...spaceFileRoutes(spaceFiles),
    ],
    exports: {
      mcp_settings: selection.exportOf,
      prompts: prompts.exportOf,
      resources: resources.exportOf,
      custom_tools: customTools.exportOf,
      agents: agents.exportOf,
      upstreams: upstreams.exportOf,
    },
    close: upstreams.close,
  };
}

import { capturing } from '../authz/authz.ts';
import type { Route } from '../caller/route.ts';
import type { Background } from '../platform/concurrency/background.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Queryable, Database } from '../platform/postgres/database.ts';
import { createAgents } from './agents/agents.ts';
import type { Agents } from './agents/agents.ts';
import { agentRoutes } from './agents/routes.ts';
import type { AgentRouteParts } from './agents/routes.ts';
import { createFollowed } from './followed/followed.ts';
import { createRefresh } from './followed/refresh.ts';
import type { Refresh, RefreshDependencies } from './followed/refresh.ts';
import { followedRoutes } from './followed/routes.ts';
import type { ItemsDependencies } from './items/items.ts';
import { createItemUses } from './items/uses.ts';
import type { ItemUsesDependencies } from './items/uses.ts';
import { countFamilies, deleteSomeItems, findOwnItems } from './items/store.ts';
import type { FamilyCounts } from './items/store.ts';
import { createPins } from './pins/pins.ts';
import { createPrompts } from './prompts/prompts.ts';
import type { Prompts } from './prompts/prompts.ts';
import { promptRoutes } from './prompts/routes.ts';
import { createResources } from './resources/resources.ts';
import type { Resources } from './resources/resources.ts';
import { resourceRoutes } from './resources/routes.ts';
import { createDesignation } from './selection/designation.ts';
import type { Designation, DesignationDependencies } from './selection/designation.ts';
import {
  catalogRoutes,
  designationRoutes,
  organizationCatalogRoutes,
  selectionRoutes,
} from './selection/routes.ts';
import { createSelection } from './selection/selection.ts';
import type { Selection } from './selection/selection.ts';
import { readDesignated } from './selection/store.ts';
import { spaceFileRoutes } from './space-file/routes.ts';
import { createSpaceFiles } from './space-file/space-file.ts';
import type { SpaceFileDependencies } from './space-file/dependencies.ts';
import { createMemberExport } from './spaces/member-export.ts';
import { memberMount, organizationMount, personalMount, teamMount } from './spaces/mount.ts';
import type { Mount, TeamMountDependencies } from './spaces/mount.ts';
import {
  createContentsReader,
  deleteSpacesOf,
  deleteTeamSpace,
  insertMemberSpace,
  insertOrganizationSpace,
  insertPersonalSpace,
  insertTeamSpace,
} from './spaces/spaces.ts';
import type { SpaceContents } from './spaces/spaces.ts';
import { customToolRoutes } from './tools/routes.ts';
import { createCustomTools } from './tools/tools.ts';
import type { CustomTools, CustomToolsDependencies } from './tools/tools.ts';
import { createImportUpstreams } from './upstream-documents/import-upstreams.ts';
import { upstreamDocumentRoutes } from './upstream-documents/routes.ts';
import { oauthClientRoutes } from './upstreams/oauth/routes.ts';
import { upstreamRoutes } from './upstreams/routes.ts';
import { createUpstreams } from './upstreams/upstreams.ts';
import type { Upstreams, UpstreamsDependencies } from './upstreams/upstreams.ts';

export { agentFamily } from './agents/agents.ts';
export type { Agents } from './agents/agents.ts';
export { etagOf, schemaOfAnySpace, versionMark, wholeItem, withSpace } from './items/items.ts';
export type { Draft, ItemFamily, ItemRecord, Items, StoredItem, UsedItem } from './items/items.ts';
export { promptFamily } from './prompts/prompts.ts';
export type { Prompts } from './prompts/prompts.ts';
export { resourceFamily } from './resources/resources.ts';
export type { Resources } from './resources/resources.ts';
export { personalSpaceOf, prefixOf, qualifiedName, scopeOf, spaceIn } from './spaces/spaces.ts';
export type { Prefix, Space, SpaceContents } from './spaces/spaces.ts';
export { portabilityWarnings, toolFamily } from './tools/tools.ts';
export type { CustomTools } from './tools/tools.ts';

/** Everything agents can be given: selected built-in items and user-defined ones. */
export interface Content {
  prompts: Prompts;
  resources: Resources;
  agents: Agents;
  customTools: CustomTools;
  runnable: CustomTools['runnable'];
  /** Reads prompts and resources at the upstreams that they come from. */
  upstreamContent: Pick<Upstreams, 'getPrompt' | 'readResource'>;
  /** Reads all items that agents of a space could get; `visibility` decides which ones they get. */
  readContents(space_id: string): Promise<SpaceContents>;
  /**
   * Returns the ids of the built-in items that an organization designated for all its credentials.
   */
  designatedItems(organization_id: string): Promise<ReadonlySet<string>>;
  /** Replaces selections with all checks, but requests the changes of `capturing`. */
  captured: { selection: Pick<Selection, 'replace'>; designation: Pick<Designation, 'replace'> };
  /** Creates an account's personal space, in the transaction that creates the account. */
  addPersonalSpace: typeof insertPersonalSpace;
  /** Creates and deletes an organization's spaces, each together with the object it belongs to. */
  organizationSpaces: typeof organizationSpaces;
  /** Number of items per family in a space; `selectedTools` counts its selected built-in tools. */
  counts(space_id: string): Promise<FamilyCounts>;
  selectedTools(space_id: string): Promise<number>;
  /** Returns the given ids that belong to items of the space, with the items' families. */
  ownItems: typeof findOwnItems;
  routes: readonly Route[];
  /** Refreshes followed upstreams in the background. */
  refresh: Refresh;
  /** Revokes tokens of upstreams in the background. */
  revocation: Background;
  /** This module's parts of the account's export, by name. */
  exports: Readonly<Record<string, (db: Queryable, account_id: string, limit: number) => unknown>>;
  close(): Promise<void>;
}

export interface ContentDependencies
  extends
    Omit<ItemsDependencies, 'findUses'>,
    ItemUsesDependencies,
    Omit<CustomToolsDependencies, 'findUses' | 'pins' | 'upstreams'>,
    Omit<UpstreamsDependencies, 'pins' | 'onListChanged'>,
    Pick<RefreshDependencies, 'log'>,
    TeamMountDependencies,
    Pick<AgentRouteParts, 'agentStart'> {
  database: Database;
  authz: ItemsDependencies['authz'] &
    UpstreamsDependencies['authz'] &
    DesignationDependencies['authz'] &
    ItemUsesDependencies['authz'];
  audit: SpaceFileDependencies['audit'];
  outbound: UpstreamsDependencies['outbound'] & CustomToolsDependencies['outbound'];
  catalog: Catalog;
}

const organizationSpaces = {
  add: insertOrganizationSpace,
  addTeam: insertTeamSpace,
  addMember: insertMemberSpace,
  removeItems: deleteSomeItems,
  removeTeam: deleteTeamSpace,
  /** Removes all spaces of an organization, including those of its teams and members. */
  remove: deleteSpacesOf,
};

/** Creates the replacement of selections without its changes. */
function createCaptured(
  { database, authz, catalog }: ContentDependencies,
  shown: Pick<Selection, 'catalogTools' | 'catalogPrompts'>,
): Content['captured'] {
  const parts = { database, catalog, authz: { ...authz, ...capturing } };
  return {
    selection: createSelection(parts),
    designation: createDesignation({ ...parts, ...shown }),
  };
}

/** Creates tools, prompts and resources, and the upstreams that they may come from. */
function createItemParts(
  dependencies: ContentDependencies,
  shared: ContentDependencies & Pick<ItemsDependencies, 'findUses'>,
) {
  const pins = createPins(dependencies);
  const upstreams = createUpstreams({
    ...{ ...dependencies, pins },
    onListChanged: (id) => refresh.announced(id),
  });
  const refresh = createRefresh({ ...dependencies, upstreams, pins });
  const ofUpstreams = { ...shared, pins, upstreams };
  const customTools = createCustomTools(ofUpstreams);
  const prompts = createPrompts(ofUpstreams);
  const resources = createResources(ofUpstreams);
  const items = { tool: customTools, prompt: prompts, resource: resources };
  const followed = createFollowed({ ...dependencies, items, upstreams, pins });
  return {
    ...{ pins, upstreams, refresh, customTools, prompts, resources, followed },
    importUpstreams: createImportUpstreams(upstreams),
  };
}

interface ExportedParts {
  selection: Pick<Selection, 'exportOf'>;
  prompts: Pick<Prompts, 'exportOf'>;
  resources: Pick<Resources, 'exportOf'>;
  customTools: Pick<CustomTools, 'exportOf'>;
  agents: Pick<Agents, 'exportOf'>;
  upstreams: Pick<Upstreams, 'exportOf'>;
}

/** Returns the parts of an account's export, which has the spaces in organizations too. */
function exportsOf({ selection, upstreams, ...items }: ExportedParts): Content['exports'] {
  const ofSpace = {
    prompts: items.prompts.exportOf,
    resources: items.resources.exportOf,
    custom_tools: items.customTools.exportOf,
    agents: items.agents.exportOf,
    upstreams: upstreams.exportOf,
  };
  return {
    mcp_settings: selection.exportOf,
    ...ofSpace,
    organization_items: createMemberExport(ofSpace),
  };
}

export function createContent(dependencies: ContentDependencies): Content {
  const selection = createSelection(dependencies);
  const designation = createDesignation({ ...dependencies, ...selection });
  const shared = { ...dependencies, findUses: createItemUses(dependencies) };
  const agents = createAgents(shared);
  const { pins, upstreams, refresh, customTools, prompts, resources, ...servers } = createItemParts(
    dependencies,
    shared,
  );
  const spaceFiles = createSpaceFiles({
    ...dependencies,
    ...{ selection, upstreams, pins, customTools },
    items: { resources, prompts, custom_tools: customTools, agents },
  });
  const routesOf = (mount: Mount): Route[] => [
    ...promptRoutes(prompts, mount),
    ...resourceRoutes(resources, mount),
    ...customToolRoutes(customTools, mount),
    ...agentRoutes({ agents, agentStart: dependencies.agentStart }, mount),
    ...upstreamRoutes(upstreams, mount),
    ...upstreamDocumentRoutes(servers.importUpstreams, mount),
    ...followedRoutes({ ...servers, upstreams }, mount),
  ];
  return {
    prompts,
    resources,
    agents,
    customTools,
    runnable: customTools.runnable,
    upstreamContent: upstreams,
    async designatedItems(organization_id) {
      const { tools, platform_prompts } = await readDesignated(
        dependencies.database.pool,
        organization_id,
      );
      return tools.union(platform_prompts);
    },
    captured: createCaptured(dependencies, selection),
    addPersonalSpace: insertPersonalSpace,
    organizationSpaces,
    readContents: createContentsReader(dependencies),
    counts: (space_id) => countFamilies(dependencies.database.pool, space_id),
    selectedTools: async (space_id) => (await selection.settings(space_id)).tools.length,
    ownItems: findOwnItems,
    routes: [
      ...catalogRoutes(selection),
      ...selectionRoutes(selection, personalMount),
      ...designationRoutes(designation),
      ...organizationCatalogRoutes(designation),
      ...[personalMount, organizationMount, teamMount(dependencies), memberMount].flatMap(routesOf),
      ...oauthClientRoutes(upstreams.oauth),
      ...spaceFileRoutes(spaceFiles),
    ],
    exports: exportsOf({ selection, prompts, resources, customTools, agents, upstreams }),
    refresh,
    revocation: upstreams.oauth.revocation,
    close: upstreams.close,
  };
}

import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import { throwIfProblems } from '../../platform/errors/refusal.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space } from '../spaces/space.ts';
import { createNamedSelection } from './by-names.ts';
import type { SelectionByNames } from './by-names.ts';
import { createSelectableItems, idsOf } from './selectable-items.ts';
import type { CatalogPrompt, CatalogTool, McpSettings, ScopableTool } from './schema.ts';
import { readSelection, replaceSelection } from './store.ts';
import type { SelectedIds } from './store.ts';
import { throwIfNameTaken } from './taken-names.ts';

/** The selection of built-in items that the agents of a space get (S8). */
export interface Selection extends SelectionByNames {
  settings(space_id: string): Promise<McpSettings>;
  replace(space: Space, settings: McpSettings, authority: Authority): Promise<McpSettings>;
  /** Returns the selection for the account's export. */
  exportOf(db: Queryable, space_id: string): Promise<McpSettings>;
  catalogTools(): readonly CatalogTool[];
  catalogPrompts(): readonly CatalogPrompt[];
  scopableTools(space_id: string): Promise<ScopableTool[]>;
}

export interface SelectionDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  catalog: Pick<Catalog, 'tools' | 'prompts'>;
}

export function createSelection({ database, authz, catalog }: SelectionDependencies): Selection {
  const current = createSelectableItems(catalog);
  const { tools, prompts } = current;
  const selected = (space_id: string) => readSelection(database.pool, space_id);

  // Items that are no longer current are left out, so that clients can send a response back.
  const toSettings = (chosen: SelectedIds): McpSettings => ({
    tools: idsOf(tools()).filter((id) => chosen.tools.has(id)),
    platform_prompts: idsOf(prompts()).filter((id) => chosen.platform_prompts.has(id)),
  });

  return {
    ...createNamedSelection(current),
    settings: async (space_id) => toSettings(await selected(space_id)),
    async replace(space, settings, authority) {
      const { id: space_id } = space;
      throwIfProblems(current.problems(settings, 'id'));
      await authz.editContent({
        ...authority,
        reason: 'mcp_settings.update',
        writes: [scopeOf(space)],
        async work(transaction) {
          const requested = { settings, current: { tools: tools(), platform_prompts: prompts() } };
          await throwIfNameTaken(transaction, space_id, requested);
          await replaceSelection(transaction, space_id, settings);
        },
      });
      return toSettings({
        tools: new Set(settings.tools),
        platform_prompts: new Set(settings.platform_prompts),
      });
    },
    exportOf: async (connection, space_id) => toSettings(await readSelection(connection, space_id)),
    catalogTools: () =>
      tools().map(({ id, name, title, description, input_schema, output_schema, annotations }) => ({
        id,
        name,
        title,
        description,
        input_schema,
        output_schema,
        annotations: { ...annotations },
      })),
    catalogPrompts: () =>
      prompts().map(({ id, name, title, description, arguments: declared }) => ({
        id,
        name,
        title,
        description,
        arguments: [...declared],
      })),
    async scopableTools(space_id) {
      const chosen = await selected(space_id);
      return tools().map(({ id, name, title }) => ({
        id,
        name,
        title,
        selected: chosen.tools.has(id),
      }));
    },
  };
}

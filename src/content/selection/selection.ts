import type { Actor, Authz } from '../../authz/authz.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Connection, Database } from '../../platform/database.ts';
import { unprocessable } from '../../platform/refusal.ts';
import { duplicates, unknownItems } from '../../policies/policy.ts';
import type { CatalogPrompt, CatalogTool, McpSettings, ScopableTool } from './schema.ts';
import { readSelection, replaceSelection } from './store.ts';
import type { Selected } from './store.ts';

/** Which built-in items an account's agents get (S8). */
export interface Selection {
  /** Ids of what is selected, as rows hold them: visibility keeps them under `content`. */
  selected(account_id: string): Promise<Selected>;
  settings(account_id: string): Promise<McpSettings>;
  replace(account_id: string, settings: McpSettings, actor: Actor): Promise<McpSettings>;
  /** What is selected, for the export of the account. */
  exportOf(connection: Connection, account_id: string): Promise<McpSettings>;
  catalogTools(): readonly CatalogTool[];
  catalogPrompts(): readonly CatalogPrompt[];
  scopableTools(account_id: string): Promise<ScopableTool[]>;
}

export interface SelectionDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  catalog: Pick<Catalog, 'tools' | 'prompts'>;
}

const lists = ['tools', 'platform_prompts'] as const;

export function createSelection({ database, authz, catalog }: SelectionDependencies): Selection {
  const tools = () => catalog.tools().filter(isCurrent);
  const prompts = () => catalog.prompts().filter(isCurrent);
  const selected = (account_id: string) => readSelection(database.pool, account_id);

  // What left the catalogue is not shown, so that what is read may be sent back.
  const shown = (chosen: Selected): McpSettings => ({
    tools: idsOf(tools()).filter((id) => chosen.tools.has(id)),
    platform_prompts: idsOf(prompts()).filter((id) => chosen.platform_prompts.has(id)),
  });

  function refuseFaults(settings: McpSettings): void {
    const known = { tools: new Set(idsOf(tools())), platform_prompts: new Set(idsOf(prompts())) };
    const faults = [
      ...duplicates(settings, lists),
      ...unknownItems(settings, lists, (list, id) => known[list].has(id)),
    ];
    const problems = faults.map(({ pointer, ...fault }) => ({ ...fault, detail: { pointer } }));
    const [first] = problems;
    if (first) throw unprocessable(first.code, first.message, { detail: first.detail, problems });
  }

  return {
    selected,
    settings: async (account_id) => shown(await selected(account_id)),
    async replace(account_id, settings, actor) {
      refuseFaults(settings);
      await authz.editContent({
        actor,
        reason: 'mcp_settings.update',
        scope: { kind: 'account', id: account_id },
        work: (transaction) => replaceSelection(transaction, account_id, settings),
      });
      return shown({
        tools: new Set(settings.tools),
        platform_prompts: new Set(settings.platform_prompts),
      });
    },
    exportOf: async (connection, account_id) => shown(await readSelection(connection, account_id)),
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
    async scopableTools(account_id) {
      const chosen = await selected(account_id);
      return tools().map(({ id, name, title }) => ({
        id,
        name,
        title,
        selected: chosen.tools.has(id),
      }));
    },
  };
}

const isCurrent = (item: { deprecated?: boolean }) => item.deprecated !== true;
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

import type { Actor, Authz } from '../../authz/authz.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Connection, Database } from '../../platform/database.ts';
import { unprocessable } from '../../platform/refusal.ts';
import { duplicates, unknownItems } from '../../policies/policy.ts';
import type { CatalogTool, McpSettings, ScopableTool } from './schema.ts';
import { readToolSelection, replaceToolSelection } from './store.ts';

/** Which built-in items an account's agents get (S8). */
export interface Selection {
  /** Ids of the selected tools, as rows hold them: visibility keeps them under `content`. */
  selectedTools(account_id: string): Promise<ReadonlySet<string>>;
  settings(account_id: string): Promise<McpSettings>;
  replace(account_id: string, settings: McpSettings, actor: Actor): Promise<McpSettings>;
  /** What is selected, for the export of the account. */
  exportOf(connection: Connection, account_id: string): Promise<McpSettings>;
  catalogTools(): readonly CatalogTool[];
  scopableTools(account_id: string): Promise<ScopableTool[]>;
}

export interface SelectionDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  catalog: Pick<Catalog, 'tools'>;
}

const lists = ['tools', 'platform_prompts'] as const;

export function createSelection({ database, authz, catalog }: SelectionDependencies): Selection {
  const current = () => catalog.tools().filter((tool) => tool.deprecated !== true);

  async function selectedTools(account_id: string) {
    return new Set(await readToolSelection(database.pool, account_id));
  }

  // A tool that left the catalogue is not shown, so that what is read may be sent back.
  function shown(selected: ReadonlySet<string>): McpSettings {
    const ids = current().map(({ id }) => id);
    return { tools: ids.filter((id) => selected.has(id)), platform_prompts: [] };
  }

  function refuseFaults(settings: McpSettings): void {
    const ids = new Set(current().map(({ id }) => id));
    const faults = [
      ...duplicates(settings, lists),
      ...unknownItems(settings, lists, (list, id) => list === 'tools' && ids.has(id)),
    ];
    const problems = faults.map(({ pointer, ...fault }) => ({ ...fault, detail: { pointer } }));
    const [first] = problems;
    if (first) throw unprocessable(first.code, first.message, { detail: first.detail, problems });
  }

  return {
    selectedTools,
    settings: async (account_id) => shown(await selectedTools(account_id)),
    async replace(account_id, settings, actor) {
      refuseFaults(settings);
      await authz.editContent({
        actor,
        reason: 'mcp_settings.update',
        scope: { kind: 'account', id: account_id },
        work: (transaction) => replaceToolSelection(transaction, account_id, settings.tools),
      });
      return shown(new Set(settings.tools));
    },
    exportOf: async (connection, account_id) =>
      shown(new Set(await readToolSelection(connection, account_id))),
    catalogTools: () =>
      current().map(
        ({ id, name, title, description, input_schema, output_schema, annotations }) => ({
          id,
          name,
          title,
          description,
          input_schema,
          output_schema,
          annotations: { ...annotations },
        }),
      ),
    async scopableTools(account_id) {
      const selected = await selectedTools(account_id);
      return current().map(({ id, name, title }) => ({
        id,
        name,
        title,
        selected: selected.has(id),
      }));
    },
  };
}

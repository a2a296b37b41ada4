import type { Authority } from '../../caller/actor.ts';
import { reservedToolNames } from '../../catalog/catalog.ts';
import type { Catalog, RunnableTool } from '../../catalog/catalog.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { createItems } from '../items/items.ts';
import type { Draft, ItemFamily, Items, ItemsDependencies, StoredItem } from '../items/items.ts';
import type { SavedItem } from '../items/kind.ts';
import type { Space } from '../spaces/space.ts';
import type { ItemRecord } from '../items/records.ts';
import type { Pins } from '../pins/pins.ts';
import { DISCOVERY_MS } from '../upstreams/schema.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { createApprove } from './approve.ts';
import { draftOfHttp, draftOfMcp, mergeTool } from './drafts.ts';
import { httpErrors, httpProblems } from './http-problems.ts';
import { createImportTools } from './import-tools.ts';
import type { ImportContext, ImportedTools, ImportToolsDependencies } from './import-tools.ts';
import { inputSchemaProblems } from './input-schema.ts';
import { mcpProblems } from './mcp-tool.ts';
import { portabilityWarnings } from './portability.ts';
import { annotationsOf, createToolRecords } from './records.ts';
import { createRunnable } from './runnable.ts';
import { ToolChange, ToolDraft, ToolListed, ToolRecord } from './schema.ts';
import type { Approval, HttpContent, McpContent, ToolContent, ToolSummary } from './schema.ts';
import type { ToolImport } from './openapi/schema.ts';
import { createToolSecrets, secretProblems } from './secrets.ts';

export { portabilityWarnings } from './portability.ts';

/** User-defined tools: an HTTP request, or a tool of an upstream MCP server. */
export interface CustomTools extends Items<ToolContent> {
  /** Approves a quarantined tool with its upstream's current description. */
  approve(space: Space, id: string, approval: Approval, authority: Authority): Promise<ItemRecord>;
  /** Returns the names of the secrets that a tool with this content still needs. */
  missingSecrets(
    db: Queryable,
    ref: { space_id: string; id: string },
    content: ToolContent,
  ): Promise<string[]>;
  /** Makes one version of a tool callable. */
  runnable(stored: StoredItem): RunnableTool;
  import(space: Space, request: ToolImport, context: ImportContext): Promise<ImportedTools>;
}

export interface CustomToolsDependencies extends ItemsDependencies {
  catalog: Pick<Catalog, 'tools'>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  outbound: Pick<Outbound, 'check' | 'fetch'>;
  documentWorkers: ImportToolsDependencies['documentWorkers'];
  limitDiscovery: ImportToolsDependencies['limitDiscovery'];
  pins: Pick<Pins, 'find' | 'quarantinedItems' | 'save' | 'release' | 'move'>;
  upstreams: Pick<Upstreams, 'discover' | 'call' | 'move'>;
}

export function createCustomTools(dependencies: CustomToolsDependencies): CustomTools {
  const { catalog, outbound, pins, upstreams } = dependencies;
  const { pool } = dependencies.database;
  const secrets = createToolSecrets(dependencies.secrets);
  const reserved = new Set<string>([
    ...reservedToolNames,
    ...catalog.tools().map(({ name }) => name),
  ]);
  const isReserved = (name: string) => reserved.has(name);
  const items = createItems<ToolContent>(
    {
      ...toolFamily,
      summaryOf: summaryOf,
      draftOf: (draft: ToolDraft, space) =>
        draft.kind === 'http' ? draftOfHttp(draft) : draftOfMcp(draft, space, upstreams),
      isReserved,
      problems: (_connection, draft) =>
        isHttp(draft) ? httpProblemsOf(draft, outbound) : mcpProblems(draft.content as McpContent),
      async onMoved(transaction, item) {
        await secrets.move(transaction, item);
        const { upstream_id } = (await pins.move(transaction, item)) ?? {};
        if (upstream_id !== undefined)
          await upstreams.move(transaction, { ...item, id: upstream_id });
      },
      onSaved: (transaction, item, replaced) =>
        isHttp(item)
          ? secrets.save(transaction, item, replaced as HttpContent | null)
          : pins.save(transaction, pinOf(item)),
    },
    dependencies,
  );

  const records = createToolRecords({ secrets, pins, pool });
  const tools = withRecords(items, records);
  const approve = createApprove({ ...dependencies, items });

  return {
    ...tools,
    async approve(space, id, ...rest) {
      await approve(space, id, ...rest);
      return tools.get(space.id, id);
    },
    missingSecrets: async (connection, ref, content) =>
      content.kind === 'http'
        ? (await secrets.names(connection, ref, content.http)).missing.toSorted()
        : [],
    import: createImportTools({ ...dependencies, create: tools.create, reserved, pool }),
    runnable: createRunnable({ contentAt: items.contentAt, secrets, upstreams, pool }),
  };
}

type Records = ReturnType<typeof createToolRecords>;

const withRecords = (
  items: Items<ToolContent>,
  { complete, listed, forPeople, exportRecord }: Records,
): Items<ToolContent> => ({
  ...items,
  async list(space_id, query) {
    const { data, next_cursor } = await items.list(space_id, query);
    return { data: await forPeople(space_id, data), next_cursor };
  },
  listed: (stored) => listed(items.listed(stored)),
  get: async (space_id, id) => complete(space_id, await items.get(space_id, id)),
  create: async (space, ...rest) => complete(space.id, await items.create(space, ...rest)),
  edit: async (space, ...rest) => complete(space.id, await items.edit(space, ...rest)),
  promote: async (space, ...rest) =>
    complete(space.organization_id, await items.promote(space, ...rest)),
  version: async (space_id, ...rest) => complete(space_id, await items.version(space_id, ...rest)),
  restore: async (space, ...rest) => complete(space.id, await items.restore(space, ...rest)),
  async *exportOf(...all) {
    for await (const record of items.exportOf(...all)) yield exportRecord(record);
  },
});

const UPSTREAM_TIMEOUT_MS = 60_000;

const isHttp = <Of extends Draft<ToolContent>>(draft: Of): draft is Of & { content: HttpContent } =>
  draft.content.kind === 'http';

function httpProblemsOf(draft: Draft<HttpContent>, outbound: Pick<Outbound, 'check'>) {
  const { input_schema, http } = draft.content;
  const problems = [
    ...inputSchemaProblems(input_schema),
    ...httpProblems(http, input_schema, outbound),
  ];
  // Secrets can only be checked in a template that parses.
  const isReadable = problems.every(({ code }) => code !== 'invalid_template');
  return isReadable ? [...problems, ...secretProblems(draft)] : problems;
}

const pinOf = ({ id, space_id, content }: SavedItem<ToolContent>) => ({
  item_id: id,
  space_id,
  ...(content as McpContent).mcp,
});

export const toolFamily: ItemFamily<ToolContent, ToolChange, ToolDraft> = {
  family: 'tool',
  noun: 'custom_tool',
  actions: {
    create: 'custom_tool.create',
    update: 'custom_tool.update',
    delete: 'custom_tool.delete',
    promote: 'custom_tool.promote',
  },
  words: { one: 'custom tool', a: 'a custom tool', many: 'custom tools' },
  path: 'custom-tools',
  tag: 'Custom tools',
  permissions: 'tools',
  nameField: 'name',
  draft: ToolDraft,
  change: ToolChange,
  record: ToolRecord,
  listed: ToolListed,
  // A tool of kind mcp is created from its upstream's current description, so creation calls the
  // upstream.
  creation_timeout_ms: DISCOVERY_MS,
  draft_errors: [
    ...httpErrors,
    'fixed_field',
    'invalid_input_schema',
    'unknown_secret',
    'unsuitable_upstream_tool',
  ],
  creation_errors: {
    404: ['not_found'],
    409: ['pin_mismatch'],
    422: ['secret_unreadable', 'unknown_upstream_tool', 'upstream_error'],
  },
  merge: mergeTool,
  warningsOf: (record, mcpName) =>
    portabilityWarnings(mcpName, (record as unknown as ToolContent).input_schema),
};

function summaryOf(content: ToolContent): ToolSummary {
  const { title, description, input_schema } = content;
  const shared = { title, description, input_schema, annotations: annotationsOf(content) };
  return content.kind === 'http'
    ? { kind: 'http', ...shared, timeout_ms: content.http.timeout_ms }
    : {
        kind: 'mcp',
        ...shared,
        output_schema: content.output_schema,
        timeout_ms: UPSTREAM_TIMEOUT_MS,
      };
}

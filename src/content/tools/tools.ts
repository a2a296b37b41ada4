import type { Actor } from '../../caller/actor.ts';
import { systemToolNames } from '../../catalog/catalog.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { RunnableTool, ToolAnnotations } from '../../catalog/tool.ts';
import type { Outbound } from '../../platform/outbound.ts';
import { absent } from '../../platform/refusal.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { createItems } from '../items/items.ts';
import type { Draft, ItemKind, Items, ItemsDependencies, StoredItem } from '../items/items.ts';
import type { Space } from '../items/kind.ts';
import type { ItemRecord } from '../items/records.ts';
import { callHttp } from './http-call.ts';
import { httpProblems, secretsOf } from './http-problems.ts';
import { createImportTools } from './import-tools.ts';
import type { ImportedTools } from './import-tools.ts';
import { inputSchemaProblems } from './input-schema.ts';
import type { ToolChange, ToolContent, ToolDraft, ToolHead, ToolImport } from './schema.ts';
import { createToolSecrets, secretProblems } from './secrets.ts';

/** Custom tools: what people have their agents ask other servers for. */
export interface CustomTools extends Items<ToolContent> {
  /** What a call of one version runs. */
  runnable(stored: StoredItem): RunnableTool;
  import(space: Space, given: ToolImport, actor: Actor): Promise<ImportedTools>;
}

export interface CustomToolsDependencies extends ItemsDependencies {
  catalog: Pick<Catalog, 'tools'>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  outbound: Pick<Outbound, 'check'>;
}

// The answer has come by then; what is left is to map it.
const MAPPING_MS = 10_000;

export function createCustomTools(dependencies: CustomToolsDependencies): CustomTools {
  const { catalog, outbound } = dependencies;
  const { pool } = dependencies.database;
  const secrets = createToolSecrets(dependencies.secrets);
  const reserved = new Set<string>([
    ...systemToolNames,
    ...catalog.tools().map(({ name }) => name),
  ]);
  const isReserved = (name: string) => reserved.has(name);
  const items = createItems(
    {
      ...kind,
      isReserved,
      problems: (_connection, draft) => [
        ...inputSchemaProblems(draft.content.input_schema),
        ...httpProblems(draft.content.http, draft.content.input_schema, outbound),
        ...secretProblems(draft),
      ],
      saved: secrets.save,
    },
    dependencies,
  );

  /** Of each secret the name, under whether it is set. */
  async function shown(account_id: string, record: ItemRecord): Promise<ItemRecord> {
    const content = record as unknown as ToolContent;
    const set = await secrets.read(pool, { account_id, id: record.id }, content.http);
    const names = secretsOf(content.http);
    return {
      ...whole(record),
      secrets: names.filter((name) => set.has(name)),
      missing_secrets: names.filter((name) => !set.has(name)),
    };
  }

  const tools: Items<ToolContent> = {
    ...items,
    async list(account_id, page) {
      const { data, next_cursor } = await items.list(account_id, page);
      return { data: data.map(withoutDeadline), next_cursor };
    },
    get: async (account_id, id) => shown(account_id, await items.get(account_id, id)),
    create: async (space, ...rest) => shown(space.account_id, await items.create(space, ...rest)),
    edit: async (space, ...rest) => shown(space.account_id, await items.edit(space, ...rest)),
    version: async (account_id, ...rest) =>
      shown(account_id, await items.version(account_id, ...rest)),
    restore: async (space, ...rest) => shown(space.account_id, await items.restore(space, ...rest)),
    async exportOf(connection, account_id, most) {
      const records = await items.exportOf(connection, account_id, most);
      return records.map((record) => ({
        ...whole(record),
        secrets: secretsOf((record as unknown as ToolContent).http),
      }));
    },
  };

  return {
    ...tools,
    import: createImportTools({ create: tools.create, isReserved, pool }),
    runnable: ({ account_id, id, version, head }) => ({
      timeout_ms: (head as ToolHead).timeout_ms + MAPPING_MS,
      async run(input, context) {
        const content = await items.contentAt(account_id, id, version);
        if (content === null) throw absent('deleted while it was called');
        const values = {
          arguments: input as Readonly<Record<string, unknown>>,
          secrets: await secrets.read(pool, { account_id, id }, content.http),
        };
        return callHttp(content.http, values, context);
      },
    }),
  };
}

const kind: ItemKind<ToolContent> = {
  family: 'tool',
  noun: 'custom_tool',
  actions: {
    create: 'custom_tool.create',
    update: 'custom_tool.update',
    delete: 'custom_tool.delete',
  },
  nameField: 'name',
  headOf: (content): ToolHead => ({
    kind: content.kind,
    title: content.title,
    description: content.description,
    input_schema: content.input_schema,
    annotations: annotationsOf(content),
    timeout_ms: content.http.timeout_ms,
  }),
};

/** What the author says, and for the rest what the method promises (RFC 9110). */
function annotationsOf({ http: { method }, annotations }: ToolContent): ToolAnnotations {
  const isRead = method === 'GET';
  return {
    readOnlyHint: annotations.readOnlyHint ?? isRead,
    destructiveHint: annotations.destructiveHint ?? !isRead,
    idempotentHint:
      annotations.idempotentHint ?? (isRead || method === 'PUT' || method === 'DELETE'),
    openWorldHint: annotations.openWorldHint ?? true,
  };
}

/** A record as the wire has it: with the annotations lists show. */
function whole(record: ItemRecord): ItemRecord {
  const annotations = annotationsOf(record as unknown as ToolContent);
  return { ...withoutDeadline(record), annotations };
}

function withoutDeadline({ id, version, timeout_ms: _deadline, ...rest }: ItemRecord): ItemRecord {
  return { id, version, ...rest };
}

export const draftOfTool = ({ name, secrets, ...content }: ToolDraft): Draft<ToolContent> => ({
  name,
  content,
  ...given(secrets),
});

export function mergeTool(stored: Draft<ToolContent>, change: ToolChange): Draft<ToolContent> {
  const { name, secrets, ...fields } = change;
  return {
    name: name ?? stored.name,
    content: { ...stored.content, ...fields } as ToolContent,
    ...given(secrets),
  };
}

const given = (secrets: Draft<ToolContent>['secrets']) =>
  secrets === undefined || Object.keys(secrets).length === 0 ? {} : { secrets };

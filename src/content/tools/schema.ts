import { z } from 'zod';
import { ItemId } from '../../policies/policy.ts';
import { ItemName } from '../../policies/item-name.ts';
import { Description, commonFields, Text, Title } from '../items/schema.ts';
import { UpstreamTool } from '../upstreams/schema.ts';

const MAX_ENTRIES = 50;

const template = (max: number) => z.string().max(max);
const hasFewEntries = (record: object) => Object.keys(record).length <= MAX_ENTRIES;
const entryLimit = { message: `must have at most ${MAX_ENTRIES} entries` };
const entries = z
  .record(z.string().min(1).max(200), template(8_192))
  .refine(hasFewEntries, entryLimit)
  .default({});

/** How a response becomes the result; `query` is a JMESPath expression and requires JSON. */
const ResponseMapping = z.object({
  format: z.enum(['auto', 'json', 'text']).default('auto'),
  query: z.string().min(1).max(1_000).nullable().default(null),
});

/**
 * The request of a tool, with `{{argument}}` and `{{secret.NAME}}` in its strings. `body` is any
 * JSON value; the `content-type` header decides if it is sent as JSON, as a form or as text.
 */
export const HttpTemplate = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  url: template(2_048).min(1),
  query: entries,
  headers: entries,
  body: z.unknown().default(null),
  timeout_ms: z.int().min(100).max(60_000).default(10_000),
  response: ResponseMapping.default({ format: 'auto', query: null }),
});
export type HttpTemplate = z.infer<typeof HttpTemplate>;

export const AllAnnotations = z.object({
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
  openWorldHint: z.boolean(),
});
const Annotations = AllAnnotations.partial();

const SecretName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, {
  message: 'must be at most 64 letters, digits, _ and -',
});
const SecretValue = z.string().min(1).max(8_192);

export const JsonSchema = z.record(z.string(), z.unknown());

const fields = {
  title: Title.nullable(),
  description: Description.min(1),
  input_schema: JsonSchema,
  annotations: Annotations,
};

type Fields = z.infer<z.ZodObject<typeof fields>>;

/** Stored content of a custom tool of kind `http`. */
export interface HttpContent extends Fields {
  kind: 'http';
  http: HttpTemplate;
}

/** One tool of an upstream MCP server; `pin` is a hash of its approved description. */
const McpTool = z.object({ upstream_id: z.guid(), tool: z.string(), pin: z.string() });

/** Stored content of a custom tool of kind `mcp`: its upstream's description. */
export interface McpContent extends Fields {
  kind: 'mcp';
  output_schema: Readonly<Record<string, unknown>> | null;
  annotations: z.infer<typeof AllAnnotations>;
  mcp: z.infer<typeof McpTool>;
}

export type ToolContent = HttpContent | McpContent;

export const HttpDraft = z.object({
  ...fields,
  kind: z.literal('http'),
  name: ItemName,
  title: fields.title.default(null),
  input_schema: JsonSchema.default({ type: 'object', properties: {} }),
  annotations: Annotations.default({}),
  http: HttpTemplate,
  secrets: z.record(SecretName, SecretValue).refine(hasFewEntries, entryLimit).default({}),
});

export type HttpDraft = z.infer<typeof HttpDraft>;

/** If `pin` is sent, the tool is created only if the upstream's description matches it. */
const McpChoice = z.object({
  upstream_id: ItemId,
  tool: z.string().min(1).max(500),
  pin: z.string().max(100).optional(),
});

/** Maximum length of an upstream tool's description. */
export const MAX_DESCRIPTION = 10_000;

/** The upstream's description may be repeated in the body, but only unchanged. */
const McpDraft = z.object({
  ...z.object({ ...fields, description: Text(MAX_DESCRIPTION) }).partial().shape,
  kind: z.literal('mcp'),
  name: ItemName,
  mcp: McpChoice,
});
export type McpDraft = z.infer<typeof McpDraft>;

export const ToolDraft = z.discriminatedUnion('kind', [HttpDraft, McpDraft]);
export type ToolDraft = z.infer<typeof ToolDraft>;

/**
 * Sent fields replace the stored ones. Only the secrets that are sent change; null deletes a
 * secret. In a tool of kind `mcp` only the name can be changed: all other fields come from its
 * upstream.
 */
export const ToolChange = z
  .object({
    ...fields,
    name: ItemName,
    kind: z.enum(['http', 'mcp']),
    http: HttpTemplate,
    mcp: McpChoice,
    secrets: z.record(SecretName, SecretValue.nullable()).refine(hasFewEntries, entryLimit),
  })
  .partial();
export type ToolChange = z.infer<typeof ToolChange>;

const shown = {
  title: z.string().nullable(),
  description: z.string(),
  input_schema: JsonSchema,
  annotations: AllAnnotations,
};
const httpSummary = { kind: z.literal('http'), ...shown };
const mcpSummary = { kind: z.literal('mcp'), ...shown, output_schema: JsonSchema.nullable() };
const timeout_ms = z.int();

/** Fields of a custom tool that lists show, and those a call needs before the content is read. */
export const ToolSummary = z.discriminatedUnion('kind', [
  z.object({ ...httpSummary, timeout_ms }),
  z.object({ ...mcpSummary, timeout_ms }),
]);
export type ToolSummary = z.infer<typeof ToolSummary>;

const listedFields = { ...commonFields, name: z.string() };
const HttpListed = z.object({ ...listedFields, ...httpSummary });
const Quarantine = z.object({ held_at: z.iso.datetime() });
/**
 * `held` is set if the upstream's description changed: the tool is hidden from agents until
 * approved.
 */
const McpListed = z.object({ ...listedFields, ...mcpSummary, held: Quarantine.nullable() });
export const ToolListed = z.discriminatedUnion('kind', [HttpListed, McpListed]);

/** Contains only the names of secrets: those that are set, and those still missing. */
const HttpRecord = HttpListed.extend({
  http: HttpTemplate,
  secrets: z.array(z.string()),
  missing_secrets: z.array(z.string()),
});

/** For a quarantined tool, includes the upstream's current description. */
const McpRecord = McpListed.extend({
  mcp: McpTool,
  held: Quarantine.extend({ found: UpstreamTool }).nullable(),
});

export const ToolRecord = z.discriminatedUnion('kind', [HttpRecord, McpRecord]);

/** If `pin` is sent, only the description with this pin is approved, not a later one. */
export const Approval = z.object({ pin: z.string().max(100).optional() });
export type Approval = z.infer<typeof Approval>;

const MAX_OPERATIONS = 200;

/** An OpenAPI 3.0 or 3.1 document; `operations` names each as `operationId` or `GET /path`. */
export const ToolImport = z.object({
  document: z.record(z.string(), z.unknown()),
  operations: z
    .array(z.unknown())
    .max(MAX_OPERATIONS)
    .pipe(z.array(z.string().min(1).max(300)))
    .optional(),
});
export type ToolImport = z.infer<typeof ToolImport>;

/** A tool created from an operation. */
export const ImportedTool = HttpRecord.extend({
  operation: z.string(),
  needs: z.array(z.object({ secret: z.string(), holds: z.string() })),
});

/** The created tools, each with the secrets to set, and the skipped operations with the reason. */
export const ToolImported = z.object({
  tools: z.array(ImportedTool),
  skipped: z.array(z.object({ operation: z.string(), code: z.string(), message: z.string() })),
});

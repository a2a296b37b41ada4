import { z } from 'zod';
import { ItemId } from '../../policies/policy.ts';
import { Description, itemFacts, ItemName, Text, Title } from '../items/schema.ts';
import { UpstreamTool } from '../upstreams/schema.ts';

const MOST_ENTRIES = 50;

const template = (most: number) => z.string().max(most);
const isFew = (record: object) => Object.keys(record).length <= MOST_ENTRIES;
const few = { message: `At most ${MOST_ENTRIES}.` };
const entries = z
  .record(z.string().min(1).max(200), template(8_192))
  .refine(isFew, few)
  .default({});

/** What of the answer becomes the result; `query` is JMESPath and asks for JSON. */
const ResponseMapping = z.object({
  format: z.enum(['auto', 'json', 'text']).default('auto'),
  query: z.string().min(1).max(1_000).nullable().default(null),
});

/**
 * The request a tool makes, with `{{argument}}` and `{{secret.NAME}}` in its texts. `body` is any
 * JSON value; the `content-type` header says whether it is written as JSON, a form or text.
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

export const WholeAnnotations = z.object({
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
  openWorldHint: z.boolean(),
});
const Annotations = WholeAnnotations.partial();

const SecretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, { message: 'Letters, digits, _ and -, at most 64.' });
const SecretValue = z.string().min(1).max(8_192);

export const JsonSchema = z.record(z.string(), z.unknown());

const fields = {
  title: Title.nullable(),
  description: Description.min(1),
  input_schema: JsonSchema,
  annotations: Annotations,
};

type Fields = z.infer<z.ZodObject<typeof fields>>;

/** What a custom tool of kind `http` is, as it is stored. */
export interface HttpContent extends Fields {
  kind: 'http';
  http: HttpTemplate;
}

/** One tool of an upstream MCP server, as it was looked at; `pin` stands for all it said then. */
const McpTool = z.object({ upstream_id: z.guid(), tool: z.string(), pin: z.string() });

/** What a custom tool of kind `mcp` is, as it is stored: in its upstream's words. */
export interface McpContent extends Fields {
  kind: 'mcp';
  output_schema: Readonly<Record<string, unknown>> | null;
  annotations: z.infer<typeof WholeAnnotations>;
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
  secrets: z.record(SecretName, SecretValue).refine(isFew, few).default({}),
});

export type HttpDraft = z.infer<typeof HttpDraft>;

/** With `pin` it is what somebody looked at, or it is not made. */
const McpChoice = z.object({
  upstream_id: ItemId,
  tool: z.string().min(1).max(500),
  pin: z.string().max(100).optional(),
});

/** The longest description an upstream's tool may have. */
export const MOST_DESCRIPTION = 10_000;

/** What its upstream says of it may be sent along as it is, not otherwise. */
const McpDraft = z.object({
  ...z.object({ ...fields, description: Text(MOST_DESCRIPTION) }).partial().shape,
  kind: z.literal('mcp'),
  name: ItemName,
  mcp: McpChoice,
});
export type McpDraft = z.infer<typeof McpDraft>;

export const ToolDraft = z.discriminatedUnion('kind', [HttpDraft, McpDraft]);
export type ToolDraft = z.infer<typeof ToolDraft>;

/**
 * What is sent replaces the field, of secrets the ones it names; null takes a secret away. Of kind
 * `mcp` only the name can be changed: the rest is its upstream's to say.
 */
export const ToolChange = z
  .object({
    ...fields,
    name: ItemName,
    kind: z.enum(['http', 'mcp']),
    http: HttpTemplate,
    mcp: McpChoice,
    secrets: z.record(SecretName, SecretValue.nullable()).refine(isFew, few),
  })
  .partial();
export type ToolChange = z.infer<typeof ToolChange>;

const shown = {
  title: z.string().nullable(),
  description: z.string(),
  input_schema: JsonSchema,
  annotations: WholeAnnotations,
};
const httpHead = { kind: z.literal('http'), ...shown };
const mcpHead = { kind: z.literal('mcp'), ...shown, output_schema: JsonSchema.nullable() };
const timeout_ms = z.int();

/** What lists show of a custom tool, and what a call of it needs before it runs. */
export const ToolHead = z.discriminatedUnion('kind', [
  z.object({ ...httpHead, timeout_ms }),
  z.object({ ...mcpHead, timeout_ms }),
]);
export type ToolHead = z.infer<typeof ToolHead>;

const facts = { ...itemFacts, name: z.string() };
const HttpListed = z.object({ ...facts, ...httpHead });
const Held = z.object({ held_at: z.iso.datetime() });
/** `held`: its upstream says something else since, and agents have no such tool until approved. */
const McpListed = z.object({ ...facts, ...mcpHead, held: Held.nullable() });
export const ToolListed = z.discriminatedUnion('kind', [HttpListed, McpListed]);

/** Of secrets the names alone: of those that are set, and of those the tool still needs. */
const HttpRecord = HttpListed.extend({
  http: HttpTemplate,
  secrets: z.array(z.string()),
  missing_secrets: z.array(z.string()),
});

/** Of a held tool also what its upstream says now. */
const McpRecord = McpListed.extend({
  mcp: McpTool,
  held: Held.extend({ found: UpstreamTool }).nullable(),
});

export const ToolRecord = z.discriminatedUnion('kind', [HttpRecord, McpRecord]);

/** With `pin` what is approved is what somebody looked at, and nothing that came later. */
export const Approval = z.object({ pin: z.string().max(100).optional() });
export type Approval = z.infer<typeof Approval>;

const MOST_OPERATIONS = 200;

/** An OpenAPI 3.0 or 3.1 document, and which of its operations by `operationId` or `GET /path`. */
export const ToolImport = z.object({
  document: z.record(z.string(), z.unknown()),
  operations: z
    .array(z.unknown())
    .max(MOST_OPERATIONS)
    .pipe(z.array(z.string().min(1).max(300)))
    .optional(),
});
export type ToolImport = z.infer<typeof ToolImport>;

/** The tools that were made, each with the secrets to set, and what became none and why. */
export const ToolImported = z.object({
  tools: z.array(
    HttpRecord.extend({
      operation: z.string(),
      needs: z.array(z.object({ secret: z.string(), holds: z.string() })),
    }),
  ),
  skipped: z.array(z.object({ operation: z.string(), code: z.string(), message: z.string() })),
});

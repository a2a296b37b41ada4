import { z } from 'zod';
import { ItemId } from '../../policies/policy.ts';
import { ItemName } from '../../policies/item-name.ts';
import { Description, commonFields, fewEntries, Quarantine, Text, Title } from '../items/schema.ts';
import { UpstreamTool } from '../upstreams/schema.ts';

const MAX_ENTRIES = 50;

const template = (max: number) => z.string().max(max);
const texts = fewEntries(z.record(z.string().min(1).max(200), template(8_192)), MAX_ENTRIES);
const entries = texts.default({});

/** How a response becomes the result; `query` is a JMESPath expression and requires JSON. */
const ResponseMapping = z
  .object({
    format: z.enum(['auto', 'json', 'text']).default('auto'),
    query: z.string().min(1).max(1_000).nullable().default(null),
  })
  .meta({ id: 'ResponseMapping' });

/** Serializations of arrays and objects, as in OpenAPI's `style`. */
export const STYLES = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
] as const;

/**
 * How one value is serialized, in the words of OpenAPI. `content_type` is the media type of a part
 * of a multipart body; elsewhere it must be JSON. `name` is the name that `matrix` writes.
 */
const ValueEncoding = z
  .object({
    style: z.enum(STYLES),
    explode: z.boolean(),
    content_type: z.string().min(1).max(200),
    name: z.string().min(1).max(200),
  })
  .partial()
  .meta({ id: 'ValueEncoding' });
export type ValueEncoding = z.infer<typeof ValueEncoding>;

const encodings = fewEntries(z.record(z.string().min(1).max(200), ValueEncoding), MAX_ENTRIES);

/**
 * Encodings by argument (`path`), by name (`query`, `headers`, `cookies`) and by field (`body`).
 */
const Encoding = z
  .object({
    path: encodings,
    query: encodings,
    headers: encodings,
    cookies: encodings,
    body: encodings,
  })
  .partial()
  .meta({ id: 'HttpEncoding' });
export type Encoding = z.infer<typeof Encoding>;

/**
 * The request of a tool, with `{{argument}}` and `{{secret.NAME}}` in its strings. `body` is any
 * JSON value; the `content-type` header decides if it is sent as JSON, as a form, as multipart or as
 * text. An object `{base64, media_type?, file_name?}` is a file in a multipart body, and the content
 * of a body that is neither JSON nor a form.
 */
export const HttpTemplate = z
  .object({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: template(2_048).min(1),
    query: entries,
    headers: entries,
    cookies: texts.optional(),
    body: z.unknown().default(null),
    encoding: Encoding.optional(),
    timeout_ms: z.int().min(100).max(60_000).default(10_000),
    response: ResponseMapping.default({ format: 'auto', query: null }),
  })
  .meta({ id: 'HttpTemplate' });
export type HttpTemplate = z.infer<typeof HttpTemplate>;

export const AllAnnotations = z
  .object({
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    idempotentHint: z.boolean(),
    openWorldHint: z.boolean(),
  })
  .meta({ id: 'ToolAnnotations' });
const Annotations = AllAnnotations.partial().meta({ id: 'ToolAnnotationsEdit' });

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
const McpTool = z
  .object({ upstream_id: z.guid(), tool: z.string(), pin: z.string() })
  .meta({ id: 'McpTool' });

/** Stored content of a custom tool of kind `mcp`: its upstream's description. */
export interface McpContent extends Fields {
  kind: 'mcp';
  output_schema: Readonly<Record<string, unknown>> | null;
  annotations: z.infer<typeof AllAnnotations>;
  mcp: z.infer<typeof McpTool>;
}

export type ToolContent = HttpContent | McpContent;

export const HttpDraft = z
  .object({
    ...fields,
    kind: z.literal('http'),
    name: ItemName,
    title: fields.title.default(null),
    input_schema: JsonSchema.default({ type: 'object', properties: {} }),
    annotations: Annotations.default({}),
    http: HttpTemplate,
    secrets: fewEntries(z.record(SecretName, SecretValue), MAX_ENTRIES).default({}),
  })
  .meta({ id: 'HttpToolDraft' });

export type HttpDraft = z.infer<typeof HttpDraft>;

/** Maximum length of an upstream tool's name. */
export const MAX_TOOL_NAME = 500;

/** If `pin` is sent, the tool is created only if the upstream's description matches it. */
const McpChoice = z
  .object({
    upstream_id: ItemId,
    tool: z.string().min(1).max(MAX_TOOL_NAME),
    pin: z.string().max(100).optional(),
  })
  .meta({ id: 'McpToolChoice' });

/** Maximum length of an upstream tool's description. */
export const MAX_DESCRIPTION = 10_000;

/** The upstream's description may be repeated in the body, but only unchanged. */
const McpDraft = z
  .object({
    ...z.object({ ...fields, description: Text(MAX_DESCRIPTION) }).partial().shape,
    kind: z.literal('mcp'),
    name: ItemName,
    mcp: McpChoice,
  })
  .meta({ id: 'McpToolDraft' });
export type McpDraft = z.infer<typeof McpDraft>;

export const ToolDraft = z
  .discriminatedUnion('kind', [HttpDraft, McpDraft])
  .meta({ id: 'CustomToolDraft' });
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
    secrets: fewEntries(z.record(SecretName, SecretValue.nullable()), MAX_ENTRIES),
  })
  .partial()
  .meta({ id: 'CustomToolEdit' });
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
const HttpListed = z.object({ ...listedFields, ...httpSummary }).meta({ id: 'HttpToolSummary' });
/**
 * `held` is set if the upstream's description changed: the tool is hidden from agents until
 * approved.
 */
const McpListed = z
  .object({ ...listedFields, ...mcpSummary, held: Quarantine.nullable() })
  .meta({ id: 'McpToolSummary' });
export const ToolListed = z
  .discriminatedUnion('kind', [HttpListed, McpListed])
  .meta({ id: 'CustomToolSummary' });

/** What some model APIs refuse about a tool that is otherwise valid. */
const PortabilityWarning = z
  .object({
    code: z.literal('not_portable'),
    message: z.string().describe('What is refused, and what to change.'),
    detail: z.object({ pointer: z.string().describe('JSON Pointer into the tool.') }),
  })
  .meta({ id: 'PortabilityWarning' });
const warnings = z
  .array(PortabilityWarning)
  .describe(
    'What some model APIs refuse, at most 20 entries. A model API that refuses one tool refuses the whole request.',
  );

/** Contains only the names of secrets: those that are set, and those still missing. */
export const HttpRecord = HttpListed.extend({
  http: HttpTemplate,
  secrets: z.array(z.string()),
  missing_secrets: z.array(z.string()),
  warnings,
}).meta({ id: 'HttpTool' });

/** For a quarantined tool, includes the upstream's current description. */
const McpRecord = McpListed.extend({
  mcp: McpTool,
  held: Quarantine.extend({ found: UpstreamTool }).nullable(),
  warnings,
}).meta({ id: 'McpCustomTool' });

export const ToolRecord = z
  .discriminatedUnion('kind', [HttpRecord, McpRecord])
  .meta({ id: 'CustomTool' });

/** If `pin` is sent, only the description with this pin is approved, not a later one. */
export const Approval = z.object({ pin: z.string().max(100).optional() }).meta({ id: 'Approval' });
export type Approval = z.infer<typeof Approval>;

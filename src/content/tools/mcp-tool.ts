import type { ToolAnnotations } from '../../catalog/catalog.ts';
import { hasPrototypeKey } from '../../platform/http/body.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { hasInvisibleCharacters } from '../items/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import { inputSchemaProblems, isTooLong, MAX_SCHEMA_CHARACTERS } from './input-schema.ts';
import { MAX_DESCRIPTION, MAX_TOOL_NAME } from './schema.ts';
import type { McpContent } from './schema.ts';
import type { Schema } from './schema-walk.ts';
import { toDialect2020 } from './upstream-schema.ts';

const MAX_TITLE = 200;

/**
 * Builds the content of a custom tool from an upstream's description. Drops an output schema that
 * clients could not apply, since one such schema makes them reject the whole list.
 */
export function mcpContentOf(upstream_id: string, found: UpstreamTool): McpContent {
  const { name: tool, title, description, pin } = found;
  const output = found.output_schema === null ? null : toDialect2020(found.output_schema);
  const isApplicable = output !== null && inputSchemaProblems(output).length === 0;
  return {
    kind: 'mcp',
    title,
    description,
    input_schema: toDialect2020(found.input_schema),
    output_schema: isApplicable ? output : null,
    annotations: annotationsOf(found.annotations),
    mcp: { upstream_id, tool, pin },
  };
}

/**
 * Returns the problems of an upstream's description, for a 422 response: invisible characters,
 * schemas that cannot be applied, and keys that are forbidden in every request body, since an
 * export with them could not be imported.
 */
export function mcpProblems({ mcp, ...fields }: McpContent): Problem[] {
  const { title, description, input_schema, output_schema } = fields;
  if (mcp.tool.length > MAX_TOOL_NAME)
    return [unsupportedTool(`Its name has more than ${MAX_TOOL_NAME} characters.`)];
  if ((title?.length ?? 0) > MAX_TITLE)
    return [unsupportedTool(`Its title has more than ${MAX_TITLE} characters.`)];
  if (description.length > MAX_DESCRIPTION)
    return [unsupportedTool(`Its description has more than ${MAX_DESCRIPTION} characters.`)];
  const schemas = [input_schema, ...(output_schema === null ? [] : [output_schema])];
  if (schemas.some(isTooLong))
    return [unsupportedTool(`A schema has more than ${MAX_SCHEMA_CHARACTERS} characters.`)];
  if (textsOf(fields).some(hasInvisibleCharacters))
    return [unsupportedTool('Its description or schemas contain invisible characters.')];
  if (hasPrototypeKey(fields))
    return [unsupportedTool('Its schemas contain a __proto__ or constructor.prototype key.')];
  return [
    ...schemaProblems('/input_schema', input_schema),
    ...(output_schema === null ? [] : schemaProblems('/output_schema', output_schema)),
  ];
}

/** Returns the problems of one of its schemas; `detail.schema_pointer` says where in its description. */
const schemaProblems = (at: string, schema: Schema): Problem[] =>
  inputSchemaProblems(schema).map(({ message, detail }) => {
    const { pointer } = detail as { pointer: string };
    const schema_pointer = pointer.replace(/^\/input_schema/, at);
    const problem = unsupportedTool(`At ${schema_pointer}: ${message}`);
    return { ...problem, detail: { pointer: '/mcp/tool', schema_pointer } };
  });

const unsupportedTool = (message: string): Problem => ({
  code: 'unsuitable_upstream_tool',
  message: `The upstream’s tool is not supported. ${message}`,
  detail: { pointer: '/mcp/tool' },
});

/** Returns all strings in a value, including keys: a model reads them too. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}

/** Returns the annotations, with the defaults that MCP defines filled in. */
export function annotationsOf(annotations: UpstreamTool['annotations']): ToolAnnotations {
  const hint = (name: keyof ToolAnnotations, fallback: boolean) =>
    typeof annotations[name] === 'boolean' ? annotations[name] : fallback;
  return {
    readOnlyHint: hint('readOnlyHint', false),
    destructiveHint: hint('destructiveHint', true),
    idempotentHint: hint('idempotentHint', false),
    openWorldHint: hint('openWorldHint', true),
  };
}

import type { ToolAnnotations } from '../../catalog/tool.ts';
import { hasPrototypeKey } from '../../platform/http/body.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { hasUnseen } from '../items/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import { inputSchemaProblems } from './input-schema.ts';
import { MOST_DESCRIPTION } from './schema.ts';
import type { McpContent } from './schema.ts';
import { isRecord } from './schema-walk.ts';
import type { Schema } from './schema-walk.ts';

const MOST_TITLE = 200;

/**
 * A custom tool of what an upstream says of one of its tools. An output schema that clients could
 * not apply is left out, since one such schema makes them refuse the whole list.
 */
export function mcpContentOf(upstream_id: string, found: UpstreamTool): McpContent {
  const { name: tool, title, description, pin } = found;
  const output = found.output_schema === null ? null : inOurDialect(found.output_schema);
  const isApplicable = output !== null && inputSchemaProblems(output).length === 0;
  return {
    kind: 'mcp',
    title,
    description,
    input_schema: inOurDialect(found.input_schema),
    output_schema: isApplicable ? output : null,
    annotations: annotationsOf(found.annotations),
    mcp: { upstream_id, tool, pin },
  };
}

/**
 * The 422 of what an upstream says: of text that hides what it says, of schemas nobody could apply,
 * and of keys no body may have, with which it could not come back from an export.
 */
export function mcpProblems({ mcp: _at, ...told }: McpContent): Problem[] {
  const { title, description, input_schema, output_schema } = told;
  if ((title?.length ?? 0) > MOST_TITLE || description.length > MOST_DESCRIPTION)
    return [unsuitable(`Its title or description is longer than ${MOST_DESCRIPTION} characters.`)];
  if (textsOf(told).some(hasUnseen))
    return [unsuitable('What it says of itself has invisible characters.')];
  if (hasPrototypeKey(told)) return [unsuitable('A key of its schemas reaches a prototype.')];
  const schemas = [input_schema, ...(output_schema === null ? [] : [output_schema])];
  return schemas.flatMap(inputSchemaProblems).map(({ message }) => unsuitable(message));
}

const unsuitable = (message: string): Problem => ({
  code: 'unsuitable_upstream_tool',
  message: `The upstream's tool cannot be offered. ${message}`,
  detail: { pointer: '/mcp/tool' },
});

/** Keys too: a model reads them. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}

/**
 * Older dialects say what tools need in the same words but for `definitions`; where they do not,
 * the rules of 2020-12 refuse them.
 */
function inOurDialect({ $schema: _dialect, ...schema }: Schema): Record<string, unknown> {
  const { definitions, $defs, ...rest } = withRefs(schema) as Schema;
  const all = { ...asRecord(definitions), ...asRecord($defs) };
  return Object.keys(all).length === 0 ? rest : { ...rest, $defs: all };
}

const withRefs = (schema: Schema): unknown =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string'
      ? value.replace(/^#\/definitions\//, '#/$defs/')
      : value,
  );

const asRecord = (value: unknown) => (isRecord(value) ? value : {});

/** As MCP reads hints that are not given. */
function annotationsOf(told: UpstreamTool['annotations']): ToolAnnotations {
  const hint = (name: keyof ToolAnnotations, otherwise: boolean) =>
    typeof told[name] === 'boolean' ? told[name] : otherwise;
  return {
    readOnlyHint: hint('readOnlyHint', false),
    destructiveHint: hint('destructiveHint', true),
    idempotentHint: hint('idempotentHint', false),
    openWorldHint: hint('openWorldHint', true),
  };
}

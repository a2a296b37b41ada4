import { jsonText } from '../json-text.ts';
import { ASSUMED, HINTS } from './tool.ts';
import type { Tool } from './tool.ts';

type McpTool = Extract<Tool, { kind: 'mcp' }>;

/** A description of a tool: as it was approved, or as its server has it now. */
export type Described = Pick<
  McpTool | NonNullable<McpTool['held']>['found'],
  'title' | 'description' | 'input_schema' | 'output_schema' | 'annotations'
>;

/** What agents read of a tool, in the form in which it is stored once it is approved. */
export const describedBy = (tool: Described) => ({
  title: tool.title,
  description: tool.description,
  input_schema: schemaText(tool.input_schema),
  output_schema: tool.output_schema === null ? '' : schemaText(tool.output_schema),
  hints: HINTS.filter((hint) => tool.annotations[hint] ?? ASSUMED.includes(hint)),
});

/** The dialect and the address of a schema are not stored, and neither is the order of keys. */
const schemaText = ({
  $schema: _dialect,
  $id: _id,
  ...schema
}: Readonly<Record<string, unknown>>) => jsonText(sorted(schema));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]));
}

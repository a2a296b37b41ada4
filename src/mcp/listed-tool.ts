/** What both kinds of tools show in a list. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  input_schema: unknown;
  output_schema: unknown;
  annotations: unknown;
}

// Of two hundred long tools each, some tens of megabytes.
const PAGES = 200;

/**
 * Texts of tools, and of the pages asked for last. A page is taken again only for exactly the same
 * tools, which were decided anew for the request.
 */
export function createKeptPages() {
  const texts = new WeakMap<ListedTool, string>();
  const pages = new Map<string, { page: readonly ListedTool[]; text: string }>();

  function textOfOne(tool: ListedTool): string {
    let text = texts.get(tool);
    if (text === undefined) {
      text = JSON.stringify(shown(tool));
      texts.set(tool, text);
    }
    return text;
  }

  return {
    /** `reader` is who asks; whose page it is does not matter to what it says. */
    textOf(reader: string, page: readonly ListedTool[]): string {
      const kept = pages.get(reader);
      if (kept !== undefined && isSame(kept.page, page)) return kept.text;
      const text = page.map(textOfOne).join(',');
      pages.delete(reader);
      pages.set(reader, { page, text });
      if (pages.size > PAGES) pages.delete(pages.keys().next().value!);
      return text;
    },
  };
}

const isSame = (one: readonly ListedTool[], other: readonly ListedTool[]) =>
  one.length === other.length && one.every((tool, index) => tool === other[index]);

/**
 * A tool as MCP lists it. Clients of the first SDK check even a failed call's structured content
 * against the output schema, so that schema also admits an error (mcp.md 9).
 */
function shown(tool: ListedTool): object {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.input_schema,
    ...(tool.output_schema == null ? {} : { outputSchema: orError(tool.output_schema) }),
    annotations: tool.annotations,
  };
}

function orError(schema: unknown): object {
  const { $defs, $schema, ...result } = schema as Readonly<Record<string, unknown>>;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    anyOf: [result, { required: ['error'] }],
    ...($defs === undefined ? {} : { $defs }),
  };
}

import type { Client, RequestOptions, Tool } from '@modelcontextprotocol/client';
import { listPages, storable } from './list-pages.ts';
import { pinOf } from './pin.ts';
import type { UpstreamTool } from './schema.ts';

/** Lists all tools of an upstream; throws if two share a name. */
export const listTools = (
  client: Client,
  options: RequestOptions,
  fairnessKey: string,
): Promise<UpstreamTool[]> =>
  listPages(
    {
      // The client's own `listTools` would log untrusted text and compile the schemas.
      async readPage(params) {
        const page = await client.request({ method: 'tools/list', params }, options);
        return { entries: page.tools, nextCursor: page.nextCursor };
      },
      keyOf: ({ name }) => name,
      words: { key: 'name', many: 'tools' },
      convert: toolOf,
    },
    fairnessKey,
  );

function toolOf(tool: Tool): UpstreamTool {
  const { name, description = '', inputSchema, outputSchema = null } = tool;
  const stored = storable({
    name,
    title: tool.title ?? tool.annotations?.title ?? null,
    description,
    input_schema: inputSchema,
    output_schema: outputSchema,
    annotations: { ...tool.annotations },
  });
  return { ...stored, pin: pinOf(stored) };
}

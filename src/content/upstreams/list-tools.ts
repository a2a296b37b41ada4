import type { Client, RequestOptions, Tool } from '@modelcontextprotocol/client';
import { nextTurn } from '../../platform/concurrency/turns.ts';
import { mapTexts } from '../../platform/text/map-texts.ts';
import { upstreamFailure } from './failure.ts';
import { pinOf } from './pin.ts';
import type { UpstreamTool } from './schema.ts';

const MAX_TOOLS = 500;
const MAX_PAGES = 100;
const MAX_CHARACTERS = 2_097_152;
const LONG_TOOL = 32_768;

/** Lists all tools of an upstream, page by page, within limits; throws if two share a name. */
export async function listTools(
  client: Client,
  options: RequestOptions,
  fairnessKey: string,
): Promise<UpstreamTool[]> {
  const tools = new Map<string, UpstreamTool>();
  let characters = 0;
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    if (pages === MAX_PAGES) throw tooManyTools();
    // The client's own `listTools` would log untrusted text and compile the schemas.
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, options);
    for (const tool of page.tools) {
      const { length } = JSON.stringify(tool);
      characters += length;
      if (tools.has(tool.name)) throw upstreamFailure('lists two tools with the same name.');
      if (tools.size === MAX_TOOLS || characters > MAX_CHARACTERS) throw tooManyTools();
      // Long enough to take milliseconds.
      if (length > LONG_TOOL) await nextTurn(fairnessKey);
      tools.set(tool.name, toolOf(tool));
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return [...tools.values()];
  }
}

function toolOf(tool: Tool): UpstreamTool {
  const { name, description = '', inputSchema, outputSchema = null } = tool;
  const fields = {
    name,
    title: tool.title ?? tool.annotations?.title ?? null,
    description,
    input_schema: inputSchema,
    output_schema: outputSchema,
    annotations: { ...tool.annotations },
  };
  const stored = mapTexts(fields, storable) as typeof fields;
  return { ...stored, pin: pinOf(stored) };
}

/**
 * Replaces characters that PostgreSQL cannot store with U+FFFD, so that the tool can still be
 * quarantined.
 */
const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');

const tooManyTools = () =>
  upstreamFailure(`lists more than ${MAX_TOOLS} tools, or more than 2 MB of descriptions.`);

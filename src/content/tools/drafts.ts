import { unprocessable } from '../../platform/refusal.ts';
import type { Draft } from '../items/items.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { pinMismatch } from './approve.ts';
import { mcpContentOf } from './mcp-tool.ts';
import type { HttpContent, HttpDraft, McpDraft, ToolChange, ToolContent } from './schema.ts';

export const draftOfHttp = ({ name, secrets, ...content }: HttpDraft): Draft<HttpContent> => ({
  name,
  content,
  ...given(secrets),
});

/** In the words of its upstream, which is asked. */
export async function draftOfMcp(
  { name, mcp: { upstream_id, tool, pin } }: McpDraft,
  account_id: string,
  upstreams: Pick<Upstreams, 'discover'>,
): Promise<Draft<ToolContent>> {
  const tools = await upstreams.discover(account_id, upstream_id);
  const found = tools.find((one) => one.name === tool);
  if (found === undefined)
    throw unprocessable('unknown_upstream_tool', 'The upstream has no tool of this name.', {
      detail: { pointer: '/mcp/tool' },
    });
  if (pin !== undefined && pin !== found.pin) throw pinMismatch('/mcp/pin');
  return { name, content: mcpContentOf(upstream_id, found) };
}

/** What a change makes of a stored tool; it keeps its kind. */
export function mergeTool(stored: Draft<ToolContent>, change: ToolChange): Draft<ToolContent> {
  const { name = stored.name, kind, secrets, mcp: _upstream, ...fields } = change;
  if (kind !== undefined && kind !== stored.content.kind)
    throw fixed('/kind', 'A tool keeps its kind.');
  if (stored.content.kind === 'http')
    return { name, content: { ...stored.content, ...fields } as HttpContent, ...given(secrets) };
  const { name: _name, kind: _kind, ...others } = change;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw fixed(`/${other}`, 'Of a tool of kind mcp only the name can be changed.');
  return { ...stored, name };
}

const fixed = (pointer: string, message: string) =>
  unprocessable('fixed_field', message, { detail: { pointer } });

const given = (secrets: Draft<HttpContent>['secrets']) =>
  secrets === undefined || Object.keys(secrets).length === 0 ? {} : { secrets };

import { unprocessable } from '../../platform/errors/refusal.ts';
import type { Draft } from '../items/items.ts';
import { renamed } from '../items/renamed.ts';
import { fieldIsFixed } from '../items/refusals.ts';
import type { Space } from '../spaces/space.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { pinMismatch } from './approve.ts';
import { mcpContentOf } from './mcp-tool.ts';
import type {
  HttpContent,
  HttpDraft,
  McpContent,
  McpDraft,
  ToolChange,
  ToolContent,
} from './schema.ts';

export const draftOfHttp = ({ name, secrets, ...content }: HttpDraft): Draft<HttpContent> => ({
  name,
  content,
  ...secretsField(secrets),
});

/**
 * Builds the draft from the upstream's current description. Throws 422 if the upstream has no such
 * tool, 409 if the pin does not match.
 */
export async function draftOfMcp(
  draft: McpDraft,
  space: Space,
  upstreams: Pick<Upstreams, 'discover'>,
): Promise<Draft<ToolContent>> {
  const { upstream_id, tool, pin } = draft.mcp;
  const tools = await upstreams.discover(space, upstream_id);
  const found = tools.find((candidate) => candidate.name === tool);
  if (found === undefined)
    throw unprocessable('unknown_upstream_tool', 'The upstream has no tool with this name.', {
      detail: { pointer: '/mcp/tool' },
    });
  if (pin !== undefined && pin !== found.pin) throw pinMismatch('/mcp/pin');
  return applyRename({ name: draft.name, content: mcpContentOf(upstream_id, found) }, draft);
}

/** Applies a change to a stored tool. Throws 422 if it would change the kind. */
export function mergeTool(stored: Draft<ToolContent>, change: ToolChange): Draft<ToolContent> {
  const { content } = stored;
  const { name = stored.name, kind = content.kind, secrets, mcp: _, ...fields } = change;
  if (kind !== content.kind) throw kindIsFixed();
  if (content.kind === 'mcp') return applyRename({ ...stored, content }, change);
  return { name, content: { ...content, ...fields } as HttpContent, ...secretsField(secrets) };
}

/** Applies a rename; other fields may be sent back unchanged. Throws 422 if one differs. */
const applyRename = (stored: Draft<McpContent>, { mcp, ...sent }: ToolChange): Draft<ToolContent> =>
  renamed(
    stored,
    { ...sent, mcp: { ...stored.content.mcp, ...mcp } },
    'Only the name of a tool of kind mcp can be changed.',
  );

export const kindIsFixed = () => fieldIsFixed('/kind', 'The kind of a tool cannot be changed.');

const secretsField = (secrets: Draft<HttpContent>['secrets']) =>
  secrets === undefined || Object.keys(secrets).length === 0 ? {} : { secrets };

import type { ChangedContentPin } from '../pins/content-store.ts';
import type { ChangedPin } from '../pins/store.ts';
import type { PromptContent } from '../prompts/schema.ts';
import type { ResourceContent } from '../resources/schema.ts';
import { resourcePathOf } from '../resources/upstream-resource.ts';
import type { McpContent } from '../tools/schema.ts';
import type { UpstreamPrompt, UpstreamResource } from '../upstreams/content/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import type {
  PromptChangeAtUpstream,
  ResourceChangeAtUpstream,
  Following,
  UpstreamChange,
} from './schema.ts';
import type { FollowedRow, OfferedContentRow, OfferedRow } from './store.ts';
import { toolNameOf } from './tool-name.ts';

/** Stored changes of an upstream that wait for approval. */
export interface WaitingChanges {
  followed: FollowedRow | null;
  tools: readonly OfferedRow[];
  changedTools: readonly ChangedPin[];
  content: readonly OfferedContentRow[];
  changedContent: readonly ChangedContentPin[];
}

/** Formats what waits, with what was approved, for API responses. */
export function changesOf(waiting: WaitingChanges) {
  const prefix = waiting.followed?.prefix ?? '';
  const { content, changedContent } = waiting;
  const newTools = waiting.tools.map(({ found, found_at }) =>
    newTool(found, found_at, toolNameOf(prefix, found.name)),
  );
  return {
    tools: [...newTools, ...waiting.changedTools.map(knownTool)],
    prompts: [
      ...content.flatMap((one) => ('name' in one.found ? [newPrompt(one, one.found, prefix)] : [])),
      ...changedContent.flatMap((row) => (row.family === 'prompt' ? [knownPrompt(row)] : [])),
    ],
    resources: [
      ...content.flatMap((one) =>
        'uri' in one.found ? [newResource(one, one.found, prefix)] : [],
      ),
      ...changedContent.flatMap((row) => (row.family === 'resource' ? [knownResource(row)] : [])),
    ],
  };
}

export const followingOf = (followed: FollowedRow | null): Following | null =>
  followed === null
    ? null
    : {
        prefix: followed.prefix,
        tools: followed.filter,
        prompts: followed.content_filters.prompt ?? null,
        resources: followed.content_filters.resource ?? null,
        checked_at: followed.checked_at,
        failure: followed.failure,
      };

const newTool = (found: UpstreamTool, since: string, name: string): UpstreamChange => ({
  ...{ change: 'new', tool: found.name, name, custom_tool_id: null, approved: null, found, since },
});

function knownTool(row: ChangedPin): UpstreamChange {
  const { item_id, name, tool, found, held_at, missing_at, content } = row;
  const shared = { tool, name, custom_tool_id: item_id, found };
  if (held_at === null) return { change: 'removed', ...shared, approved: null, since: missing_at! };
  const { title, description, input_schema, output_schema, annotations } =
    content as unknown as McpContent;
  const approved = { title, description, input_schema, output_schema, annotations };
  return { change: 'changed', ...shared, approved, since: held_at };
}

const newPrompt = (
  { found_at: since }: OfferedContentRow,
  found: UpstreamPrompt,
  prefix: string,
): PromptChangeAtUpstream => ({
  ...{ change: 'new', source: found.name, name: toolNameOf(prefix, found.name) },
  ...{ item_id: null, approved: null, found, since },
});

const newResource = (
  { found_at: since }: OfferedContentRow,
  found: UpstreamResource,
  prefix: string,
): ResourceChangeAtUpstream => ({
  ...{ change: 'new', source: found.uri, name: resourcePathOf(prefix, found.uri) },
  ...{ item_id: null, approved: null, found, since },
});

/** Returns what the changes of prompts and of resources share. */
const knownContent = ({ item_id, name, source, held_at, missing_at }: ChangedContentPin) => ({
  ...{ source, name, item_id, since: held_at ?? missing_at! },
  change: held_at === null ? ('removed' as const) : ('changed' as const),
});

function knownPrompt(row: ChangedContentPin): PromptChangeAtUpstream {
  const { title, description, arguments: declared } = row.content as unknown as PromptContent;
  const approved = { title, description, arguments: declared };
  const found = row.found as UpstreamPrompt | null;
  return { ...knownContent(row), approved: found && approved, found };
}

function knownResource(row: ChangedContentPin): ResourceChangeAtUpstream {
  const { title, description, mime_type } = row.content as unknown as ResourceContent;
  const found = row.found as UpstreamResource | null;
  return { ...knownContent(row), approved: found && { title, description, mime_type }, found };
}

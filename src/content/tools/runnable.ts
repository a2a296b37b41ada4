import { PassthroughResult } from '../../catalog/catalog.ts';
import type { RunnableTool, ToolContext } from '../../catalog/catalog.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { versionMark } from '../items/items.ts';
import type { Items, StoredItem } from '../items/items.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { callHttp } from './http-call.ts';
import type { McpContent, ToolContent, ToolSummary } from './schema.ts';
import type { ToolSecrets } from './secrets.ts';

export interface RunnableDependencies {
  contentAt: Items<ToolContent>['contentAt'];
  secrets: Pick<ToolSecrets, 'read'>;
  upstreams: Pick<Upstreams, 'call'>;
  pool: Queryable;
}

// Extra time for connecting before a call and for mapping the response after it.
const OVERHEAD_MS = 10_000;

interface CallContext {
  stored: StoredItem;
  timeoutMs: number;
  context: ToolContext;
}

/** Returns a function that makes one version of a custom tool callable. */
export function createRunnable({ contentAt, secrets, upstreams, pool }: RunnableDependencies) {
  async function callMcp({ mcp }: McpContent, input: object, callContext: CallContext) {
    const { stored, timeoutMs, context } = callContext;
    const { signal, onProgress } = context;
    const beforeCall = () => context.requirePermitted();
    const options = { signal, timeoutMs, onProgress, beforeCall, person: context.person };
    return new PassthroughResult(await upstreams.call({ stored, ...mcp }, input, options));
  }

  return (stored: StoredItem): RunnableTool => {
    const { space_id, id } = stored;
    const version = versionMark(stored);
    const timeoutMs = (stored.head as ToolSummary).timeout_ms;
    return {
      timeout_ms: timeoutMs + OVERHEAD_MS,
      async run(input, context) {
        const content = await contentAt({ space_id, id, version });
        if (content === null) throw absent('deleted during the call');
        const args = input as Readonly<Record<string, unknown>>;
        if (content.kind === 'mcp') return callMcp(content, args, { stored, timeoutMs, context });
        const opened = await secrets.read(pool, stored, content.http);
        return callHttp(content.http, { arguments: args, secrets: opened }, context);
      },
    };
  };
}

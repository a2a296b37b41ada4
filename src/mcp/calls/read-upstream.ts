import { ToolDeleted, ToolFailure } from '../../catalog/catalog.ts';
import type { Retry } from '../../authz/authz.ts';
import type { Content } from '../../content/content.ts';
import { absent, isRefusal } from '../../platform/errors/refusal.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';
import type { PromptItem, ResourceItem, View } from '../../visibility/visibility.ts';
import { upstreamFailed } from '../protocol/errors.ts';
import type { Call } from '../protocol/call.ts';
import type { TrackedCall } from './call-log.ts';
import { Deadline, ENDED } from './deadline.ts';
import { ToolAuthorization } from './tool-authorization.ts';

const TIMEOUT_MS = 60_000;
// Extra time for connecting, and for listing what the upstream offers.
const OVERHEAD_MS = 10_000;

export interface ReadUpstreamDependencies {
  upstreams: Content['upstreamContent'];
  retry: Retry;
}

/** A read that was decided and admitted. */
export interface AdmittedRead {
  call: Call;
  tracked: TrackedCall;
  /** Throws if the caller may no longer read the item. */
  decide(view: View): unknown;
}

type OfUpstream<Item extends PromptItem | ResourceItem> = Item & {
  upstream: NonNullable<Item['upstream']>;
};

/** Returns whether the content of an item comes from an upstream. */
export const isOfUpstream = <Item extends PromptItem | ResourceItem>(
  item: Item,
): item is OfUpstream<Item> => item.upstream !== undefined;

/**
 * Creates the reads of prompts and resources of upstreams, within a deadline. They throw what a
 * client may see, and set the outcome of the call.
 */
export function createReadUpstream({ upstreams, retry }: ReadUpstreamDependencies) {
  type Options = Parameters<typeof upstreams.readResource>[1];

  async function run<T>(
    { call, tracked, decide }: AdmittedRead,
    work: (options: Options) => Promise<T>,
  ): Promise<T> {
    const deadline = new Deadline(call.cancellation, TIMEOUT_MS + OVERHEAD_MS);
    const authorization = new ToolAuthorization(call, { retry, contended: null, decide });
    const options = {
      ...{ signal: deadline.signal, timeoutMs: TIMEOUT_MS, person: call.caller.person },
      beforeCall: () => authorization.requirePermitted(),
    };
    try {
      const result = await deadline.race(work(options));
      if (result !== ENDED) return result;
    } catch (error) {
      if (error instanceof ToolDeleted) throw absent(error.message);
      if (!isFailure(error)) throw error;
      tracked.end('tool_error');
      throw upstreamFailed(error);
    }
    tracked.end(call.cancellation.isCancelled ? 'cancelled' : 'timed_out');
    throw upstreamFailed({
      code: 'upstream_error',
      message: 'The upstream MCP server did not respond in time.',
    });
  }

  return {
    prompt: (
      item: OfUpstream<PromptItem>,
      values: Readonly<Record<string, string>>,
      read: AdmittedRead,
    ) =>
      run(read, (options) =>
        upstreams.getPrompt({ stored: inSpace(item), ...item.upstream }, values, options),
      ),
    resource: (item: OfUpstream<ResourceItem>, read: AdmittedRead) =>
      run(read, (options) => upstreams.readResource({ stored: item, ...item.upstream }, options)),
  };
}

/** Whether the upstream failed, or cannot be called as it is configured. */
const isFailure = (error: unknown): error is ToolFailure | Refusal =>
  error instanceof ToolFailure || (isRefusal(error) && error.kind === 'unprocessable');

/** Returns the item itself: only built-in prompts have no space, and they come from no upstream. */
function inSpace(item: PromptItem): PromptItem & { space_id: string } {
  if (item.space_id === null) throw new TypeError('A built-in prompt comes from no upstream.');
  return item as PromptItem & { space_id: string };
}

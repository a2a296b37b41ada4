import { expect, test } from 'vitest';
import type { ToolContext } from '../../../src/catalog/tool.ts';
import { CancellationSource } from '../../../src/mcp/protocol/cancellation.ts';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { runTool } from '../../../src/mcp/calls/run-tool.ts';
import type { ToolDependencies } from '../../../src/mcp/calls/run-tool.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import type { ToolItem } from '../../../src/visibility/visibility.ts';

/** Returns how many notifications the client receives from a tool that reports progress once. */
async function notificationsFor(progressToken: unknown): Promise<number> {
  let received = 0;
  const call = {
    params: { _meta: { progressToken } },
    caller: { quota_owner: { id: 'ada' } },
    cancellation: new CancellationSource(),
    notify: () => void (received += 1),
  } as unknown as Call;
  const tool = {
    timeout_ms: 5_000,
    async run(_input: unknown, context: ToolContext) {
      context.onProgress?.({ progress: 1 });
      return {};
    },
  };
  const item = { tool } as unknown as ToolItem;
  const dependencies = {
    toolDependencies: {} as ToolDependencies,
    log,
    retry: () => Promise.reject(new Error()),
    contended: null,
    decide: () => {},
  };
  const { outcome } = await runTool(call, item, {}, dependencies);
  expect(outcome).toBe('ok');
  return received;
}

const log = createLog('silent');

test('progress is reported only under a token of bounded length, since every notification repeats it', async () => {
  expect(await notificationsFor('token')).toBe(1);
  expect(await notificationsFor(7)).toBe(1);
  expect(await notificationsFor('t'.repeat(100_000))).toBe(0);
});

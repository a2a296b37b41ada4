import { expect, test } from 'vitest';
import type { Progress, ToolContext } from '../../../src/catalog/tool.ts';
import { CancellationSource } from '../../../src/mcp/protocol/cancellation.ts';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { runTool } from '../../../src/mcp/calls/run-tool.ts';
import type { ToolDependencies } from '../../../src/mcp/calls/run-tool.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import type { ToolItem } from '../../../src/visibility/visibility.ts';

/** Returns the notifications that the client receives from a tool that reports progress once. */
async function notificationsFor(
  progressToken: unknown,
  progress: Progress = { progress: 1 },
): Promise<unknown[]> {
  const received: unknown[] = [];
  const call = {
    params: { _meta: { progressToken } },
    caller: { quota_owner: { id: 'ada' } },
    cancellation: new CancellationSource(),
    notify: (notification: unknown) => void received.push(notification),
  } as unknown as Call;
  const tool = {
    timeout_ms: 5_000,
    async run(_input: unknown, context: ToolContext) {
      context.onProgress?.(progress);
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
  expect(await notificationsFor('token')).toHaveLength(1);
  expect(await notificationsFor(7)).toHaveLength(1);
  expect(await notificationsFor('t'.repeat(100_000))).toEqual([]);
});

test('a message that is cut does not end with half a surrogate pair', async () => {
  const message = `${'m'.repeat(999)}😀`;

  expect(await notificationsFor('token', { progress: 1, message })).toEqual([
    expect.objectContaining({
      params: { progressToken: 'token', progress: 1, message: `${'m'.repeat(999)}\uFFFD` },
    }),
  ]);
});

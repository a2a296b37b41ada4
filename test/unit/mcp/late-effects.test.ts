import { expect, test } from 'vitest';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import type { ToolContext } from '../../../src/catalog/tool.ts';
import { runTool } from '../../../src/mcp/calls/run-tool.ts';
import type { ToolDependencies } from '../../../src/mcp/calls/run-tool.ts';
import { CancellationSource } from '../../../src/mcp/protocol/cancellation.ts';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { forbidden, unauthenticated } from '../../../src/platform/errors/refusal.ts';
import type { ToolItem, View } from '../../../src/visibility/visibility.ts';

const callerAt = (nonce: string) =>
  ({
    quota_owner: { id: 'ada' },
    scopes: [{ kind: 'account', id: 'ada', nonce, content: 1 }],
  }) as unknown as Call['caller'];

/** Runs a tool that sends a request 300 ms after its call was authorized. */
async function runLate(
  changes: Partial<Pick<Call, 'identify' | 'authorize'>> & { decide?(): void },
) {
  let requests = 0;
  const call = {
    method: 'tools/call',
    caller: callerAt('before'),
    read_at: performance.now() - 300,
    view: async () => ({}),
    identify: async () => ({ caller: callerAt('before'), read_at: performance.now() }),
    authorize: async (identified: object) => ({ ...identified, view: async () => ({}) }),
    cancellation: new CancellationSource(),
    ...changes,
  } as unknown as Call;
  const tool = {
    timeout_ms: 5_000,
    async run(_input: unknown, context: ToolContext) {
      await context.outbound.fetch({ url: 'https://x.example', timeoutMs: 1, maxBytes: 1 });
      return {};
    },
  };
  const outbound = { fetch: async () => void (requests += 1), open: async () => {} };
  const { reply, outcome } = await runTool(
    call,
    { tool } as unknown as ToolItem,
    {},
    {
      toolDependencies: { outbound } as unknown as ToolDependencies,
      log: createLog('silent'),
      retry: () => Promise.reject(new Error()),
      contended: null,
      decide: changes.decide ?? (() => {}),
    },
  );
  return { reply, outcome, requests };
}

test('a tool that waited before its request sends it if the call is still permitted', async () => {
  expect(await runLate({})).toMatchObject({ outcome: 'ok', requests: 1 });
});

test('a tool that waited before its request does not send it if the credential was revoked (A5)', async () => {
  const identify = () =>
    Promise.reject(unauthenticated('invalid_credential', 'The credential is not valid.'));

  expect(await runLate({ identify })).toMatchObject({
    reply: { error: { data: { code: 'invalid_credential' } } },
    outcome: 'failed',
    requests: 0,
  });
});

test('a tool that waited sends its request if its authority changes twice meanwhile and still permits it', async () => {
  let reads = 0;
  const identify = async () => {
    reads += 1;
    return { caller: callerAt(String(reads)), read_at: performance.now() };
  };
  const authorize: Call['authorize'] = async (identified) => {
    if (reads === 1) throw new ConcurrentUpdate();
    return { ...identified, view: async () => ({}) as View };
  };

  expect(await runLate({ identify, authorize })).toMatchObject({ outcome: 'ok', requests: 1 });
});

test('a tool that waited before its request does not send it if the tool was deselected', async () => {
  const decide = () => {
    throw forbidden('tool_not_permitted', 'This credential may not call this tool.');
  };

  const identify = async () => ({ caller: callerAt('after'), read_at: performance.now() });

  expect(await runLate({ identify, decide })).toMatchObject({
    reply: { result: { structuredContent: { error: { code: 'tool_not_permitted' } } } },
    requests: 0,
  });
});

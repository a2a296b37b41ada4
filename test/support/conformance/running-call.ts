import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call, Reply } from '../../../src/mcp/protocol/call.ts';
import type { Method } from '../../../src/mcp/protocol/dispatch.ts';

/** The call a fixture runs in, and the result it sets in place of the tool's output. */
export interface RunningCall {
  call: Call;
  result: object | null;
}

const storage = new AsyncLocalStorage<RunningCall>();

/** Wraps `tools/call`, so that fixtures can notify and send requests through the call. */
export const withRunningCall =
  (method: Method): Method =>
  async (call): Promise<Reply> => {
    const running: RunningCall = { call, result: null };
    const reply = await storage.run(running, () => method(call));
    return running.result === null || 'error' in reply ? reply : { result: running.result };
  };

export function runningCall(): RunningCall {
  const running = storage.getStore();
  if (running === undefined) throw new Error('no fixture runs');
  return running;
}

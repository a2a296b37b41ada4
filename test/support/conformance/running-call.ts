import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call, Reply } from '../../../src/mcp/protocol/call.ts';
import type { Method } from '../../../src/mcp/protocol/dispatch.ts';

/** The call in which a fixture runs, and the fixture's result instead of the tool's output. */
export interface RunningCall {
  call: Call;
  result: object | null;
}

const storage = new AsyncLocalStorage<RunningCall>();

/** Wraps `tools/call`, so that fixtures can send notifications and requests through the call. */
export const withRunningCall =
  (method: Method): Method =>
  async (call): Promise<Reply> => {
    const running: RunningCall = { call, result: null };
    const reply = await storage.run(running, () => method(call));
    return running.result === null || 'error' in reply ? reply : { result: running.result };
  };

export function runningCall(): RunningCall {
  const running = storage.getStore();
  if (running === undefined) throw new Error('no fixture is running');
  return running;
}

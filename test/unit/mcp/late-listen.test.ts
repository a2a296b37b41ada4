import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createOpenListen } from '../../../src/mcp/changes/listen.ts';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { unauthenticated } from '../../../src/platform/errors/refusal.ts';
import { createLog } from '../../../src/platform/observability/log.ts';

test('a listen stream whose lists are slow to read does not open if its key is revoked meanwhile (A5)', async () => {
  const openListen = createOpenListen({
    watch: () => {
      throw new Error('it must not be watched');
    },
    async digest() {
      await pause(300);
      return { tools: '', prompts: '', resources: '' };
    },
    resourceVersions: async () => new Map(),
    redis: { prefix: '', commands: { zrem: async () => {} } } as never,
    log: createLog('silent'),
    serverInfo: { name: 'test', version: '1' } as never,
  });
  const call = {
    id: 1,
    params: { notifications: { toolsListChanged: true } },
    caller: {
      credential: { kind: 'api_key', id: 'k' },
      quota_owner: { kind: 'account', id: 'a', plan: 'free' },
    },
    read_at: performance.now(),
    identify: () =>
      Promise.reject(unauthenticated('invalid_credential', 'The credential is not valid.')),
  } as unknown as Call;
  const closed: (() => void)[] = [];
  const response = {
    headersSent: false,
    destroyed: false,
    once: (_event: string, listener: () => void) => void closed.push(listener),
  } as unknown as ServerResponse;

  await expect(openListen(call, response)).rejects.toMatchObject({ kind: 'unauthenticated' });
  for (const close of closed) close();
});

import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createOpenListen } from '../../../src/mcp/changes/listen.ts';
import { createGetStream } from '../../../src/mcp/legacy/streams/get-stream.ts';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { createLog } from '../../../src/platform/observability/log.ts';

const lines: { level: number; err: { message: string } }[] = [];
const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
afterEach(() => void lines.splice(0));

const caller = {
  credential: { kind: 'api_key', id: 'k' },
  quota_owner: { kind: 'account', id: 'a', plan: 'free' },
};
const sender = { caller, read_at: performance.now(), identify: async () => ({ caller }) };

/** Returns what a client gets from this response. */
async function ask(respond: (response: ServerResponse) => Promise<unknown>): Promise<Response> {
  const server = createServer((_request, response) => void respond(response)).listen(0);
  onTestFinished(() => void server.close());
  return fetch(`http://localhost:${(server.address() as AddressInfo).port}`);
}

test('a defect that cuts off a listen stream is logged', async () => {
  const openListen = createOpenListen({
    watch: () => {
      throw new Error('defect');
    },
    digest: async () => ({ tools: '', prompts: '', resources: '' }),
    resourceVersions: async () => new Map(),
    redis: {
      prefix: '',
      commands: { zrem: async () => {}, runScript: async () => 1, run: async () => 1 },
    } as never,
    log,
    serverInfo: { name: 'test', version: '1' } as never,
  });
  const params = { notifications: { toolsListChanged: true } };
  const call = { id: 1, method: 'subscriptions/listen', params, ...sender } as unknown as Call;

  const answer = await ask((response) => openListen(call, response));

  await expect(answer.text()).rejects.toThrow('terminated');
  expect(lines.filter(({ level }) => level >= 50)).toMatchObject([{ err: { message: 'defect' } }]);
});

test('a session stream that ends because its events cannot be read leaves a warning', async () => {
  const page = { events: [{ position: 2, data: '{}' }], isClosed: false };
  let reads = 0;
  const openGetStream = createGetStream({
    sessions: {
      join: async () => ({ session: { key: 's' } }),
      leave: async () => {},
      renew: async () => 'live',
    } as never,
    signals: { listen: async () => () => {} } as never,
    exchangeLog: {
      async read() {
        reads += 1;
        if (reads > 1) throw new Error('no answer');
        return page;
      },
    } as never,
    changes: { watch: () => ({ remove() {} }) } as never,
    log,
  });
  const input = { sessionId: 's', version: null, lastEventId: 'p1.1' };

  const answer = await ask((response) =>
    openGetStream(response, { ...input, context: sender as never }),
  );

  expect(await answer.text()).toContain('id: p1.2');
  expect(lines).toMatchObject([{ level: 40, err: { message: 'no answer' } }]);
});

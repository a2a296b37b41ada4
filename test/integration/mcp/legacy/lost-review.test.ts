import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { AgentPrincipal } from '../../../../src/caller/principal.ts';
import type { ChangeFeed } from '../../../../src/mcp/changes/changes.ts';
import type { Watcher } from '../../../../src/mcp/changes/watch.ts';
import { createSessions } from '../../../../src/mcp/legacy/sessions/sessions.ts';
import { followStandalone } from '../../../../src/mcp/legacy/streams/standalone.ts';
import type { EventStream, StreamEvent } from '../../../../src/mcp/protocol/event-stream.ts';
import { newId } from '../../../../src/platform/ids.ts';
import { createLog } from '../../../../src/platform/observability/log.ts';
import { openRedis } from '../../limits/bench.ts';
import { fromHere } from '../../../support/from-here.ts';

test('a change that Redis counted but whose reply was lost is sent by the next review', async () => {
  const { open, loseNextReply } = await useSession();
  const stream = await open();
  await stream.review('one');
  expect(stream.events()).toEqual(['g.0']);

  loseNextReply();
  await expect(stream.review('two')).rejects.toThrow('lost');
  await stream.review('two');
  await stream.review('two');

  expect(stream.events()).toEqual(['g.0', 'g.1']);
});

test('after a lost reply, no stream repeats what another stream of its session has sent', async () => {
  const { open, loseNextReply } = await useSession();
  const older = await open();
  await older.review('one');
  const newer = await open();
  await newer.review('one');

  loseNextReply();
  await expect(older.review('two')).rejects.toThrow('lost');
  await newer.review('two');
  await older.review('two');

  expect(newer.events()).toEqual(['g.0', 'g.1']);
  expect(older.events()).toEqual(['g.0']);
});

/** Creates a session in Redis; `loseNextReply` drops the reply to the next review after Redis counted it. */
async function useSession() {
  const redis = await openRedis(inject('redisUrl'), `t${randomUUID().slice(0, 8)}:`);
  onTestFinished(() => redis.close());
  const log = createLog('silent');
  const stored = createSessions(redis, log);
  let isLosing = false;
  const sessions: typeof stored = {
    ...stored,
    async review(...args) {
      const answer = await stored.review(...args);
      if (!isLosing) return answer;
      isLosing = false;
      throw new Error('lost');
    },
  };
  const id = await sessions.create(caller, '2025-11-25', '{}');
  const joining = { version: null, isExchange: false };

  async function open() {
    const streamId = newId();
    const joined = await sessions.join(caller, id!, { id: streamId, ...joining });
    if ('fault' in joined) throw new Error(joined.fault);
    const sent: StreamEvent[] = [];
    const closings: (() => void)[] = [];
    const stream: EventStream = {
      send: (event) => sent.push(event) > 0,
      waitUntilDrained: async () => {},
      end() {},
      onClose: (run) => void closings.push(run),
      isOpen: true,
    };
    let watcher: Watcher | undefined;
    const changes = {
      watch(_: AgentPrincipal, added: Watcher) {
        watcher = added;
        return { remove() {}, reviewSoon() {} };
      },
      reread: async () => caller,
    } as unknown as ChangeFeed;
    const opened = { stream, streamId, session: joined.session, caller, address: fromHere };
    await followStandalone(opened, 0, { sessions, changes, log });
    onTestFinished(() => {
      for (const close of closings) close();
    });
    return {
      review: (tools: string) => watcher!.review(caller, { tools, prompts: '', resources: '' }),
      events: () => sent.map((event) => event.id),
    };
  }

  return {
    open,
    loseNextReply(): void {
      isLosing = true;
    },
  };
}

const caller = {
  credential: { kind: 'api_key', id: newId() },
  quota_owner: { kind: 'account', id: newId(), plan: 'free' },
  scopes: [{ kind: 'account', id: 'ada', revision: 1, applied: 1, nonce: 'n', content: 1 }],
} as unknown as AgentPrincipal;

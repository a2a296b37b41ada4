import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AgentPrincipal } from '../../../src/caller/principal.ts';
import type { EndReason } from '../../../src/mcp/changes/watch.ts';
import { createWatches } from '../../../src/mcp/changes/watches.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { fromHere } from '../../support/from-here.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a single failed credential read after a long stall does not end a stream', async () => {
  const { ends, advance, answer } = useWatches();

  await advance(1_000);
  await advance(6_000);
  answer('fail');
  answer('succeed');
  await advance(20_000);

  expect(ends).toEqual([]);
});

test('credential reads that fail for five seconds end the streams', async () => {
  const { ends, advance, answer } = useWatches();

  answer('fail');
  await advance(5_000);
  expect(ends).toEqual([]);
  await advance(2_000);

  expect(ends).toEqual(['unreadable']);
});

test('a successful read restarts the five seconds', async () => {
  const { ends, advance, answer } = useWatches();

  for (let round = 0; round < 4; round += 1) {
    answer('fail');
    await advance(4_000);
    answer('succeed');
    await advance(1_000);
  }

  expect(ends).toEqual([]);
});

type Answer = 'fail' | 'succeed';

/** Opens one stream whose credential is read every second; the first read waits for `answer`. */
function useWatches() {
  const ends: EndReason[] = [];
  let answer: Answer | null = null;
  let waiting: ((how: Answer) => void)[] = [];
  const watches = createWatches({
    reread: async () => {
      const how = answer ?? (await new Promise<Answer>((resolve) => void waiting.push(resolve)));
      if (how === 'fail') throw new Error('no answer');
      return new Map([[caller.credential.id, caller]]);
    },
    worksAt: () => true,
    digest: async () => ({ tools: '', prompts: '', resources: '' }),
    subscribe: () => () => {},
    log: createLog('silent'),
  });
  watches.add(caller, {
    ...{ address: fromHere, review: async () => {} },
    end: (reason) => void ends.push(reason),
  });
  watches.start();
  return {
    ends,
    advance: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    answer(now: Answer): void {
      answer = now;
      for (const proceed of waiting) proceed(now);
      waiting = [];
    },
  };
}

const caller = {
  credential: { kind: 'api_key', id: 'one' },
  scopes: [{ kind: 'account', id: 'ada', revision: 1, applied: 1, nonce: 'n', content: 1 }],
} as unknown as AgentPrincipal;

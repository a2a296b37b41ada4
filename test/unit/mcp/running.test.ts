import { expect, onTestFinished, test, vi } from 'vitest';
import type { Exchange } from '../../../src/mcp/legacy/exchanges/exchange.ts';
import { createRunningCalls, Job } from '../../../src/mcp/legacy/exchanges/running.ts';

/** Creates jobs that run until the test ends them. */
function createTestCalls() {
  const all = createRunningCalls();
  return {
    ...all,
    begin(sessionKey: string, requestId: string | number) {
      const job = new Job(sessionKey, requestId);
      const { promise, resolve } = Promise.withResolvers<void>();
      return { job, end: resolve, ended: all.run(job, () => promise) };
    },
  };
}

test('cancelling an id cancels every request of its session with that id and id type', () => {
  const { begin, cancel } = createTestCalls();
  const twins = [begin('session', '1'), begin('session', '1')];
  const others = [begin('session', 1), begin('session', '11'), begin('sibling', '1')];

  expect(cancel('session', '1')).toBe(true);

  expect(twins.map(({ job }) => job.isCancelled)).toEqual([true, true]);
  expect(others.map(({ job }) => job.isCancelled)).toEqual([false, false, false]);
});

test('a completed or failed job cannot be cancelled', async () => {
  const { begin, cancel, run } = createTestCalls();
  const completed = begin('session', 1);
  completed.end();
  await completed.ended;
  const failed = run(new Job('session', 2), () => Promise.reject(new Error('broke')));
  await expect(failed).rejects.toThrow('broke');

  expect([cancel('session', 1), cancel('session', 2)]).toEqual([false, false]);
});

test('a stop hands over open exchanges and resolves after the last one', async () => {
  // With a fake clock the 20-second limit never passes: only the last exchange can end the stop.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { track, stop } = createRunningCalls();
  const handedOver: string[] = [];
  const exchange = (name: string) => ({ handOver: () => void handedOver.push(name) }) as Exchange;
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const firstResult = track(exchange('first'), () => first.promise);
  const broken = track(exchange('second'), () => second.promise);

  let isStopped = false;
  const stopping = stop().then(() => (isStopped = true));
  first.resolve();
  await firstResult;
  expect([handedOver, isStopped]).toEqual([['first', 'second'], false]);
  second.reject(new Error('broke'));
  await expect(broken).rejects.toThrow('broke');

  await stopping;
  await stop();
}, 3_000);

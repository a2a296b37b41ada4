import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServerEvent } from '../../../src/caller/events.ts';
import { eventPieces } from '../../../src/gateway/rest/event-pieces.ts';
import { invalidCredential } from '../../../src/platform/errors/refusal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HEARTBEAT_MS = 15_000;

/** A stream that yields these events, and then nothing until it is closed. */
function stream(...events: ServerEvent[]) {
  const ended = new AbortController();
  const check = vi.fn<() => Promise<void>>(async () => {});
  const never = Promise.withResolvers<IteratorResult<ServerEvent>>();
  const source: AsyncIterable<ServerEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const value = events.shift();
        return value === undefined ? never.promise : { value, done: false };
      },
      return: async () => {
        never.resolve({ value: undefined, done: true });
        return { value: undefined, done: true };
      },
    }),
  };
  const report = vi.fn<(error: unknown) => void>();
  const pieces = eventPieces(source, { check, report, ended: ended.signal });
  return { pieces, check, report, ended, never };
}

test('an event is one line of JSON, whatever its texts contain', async () => {
  const { pieces } = stream({ event: 'progress', data: { text: 'a\nb\r\n\ndata: c' } });

  expect((await pieces.next()).value).toBe(
    'event: progress\ndata: {"text":"a\\nb\\r\\n\\ndata: c"}\n\n',
  );
});

test('a silent stream gets a comment every 15 seconds, and is checked each time', async () => {
  const { pieces, check } = stream();
  for (const count of [1, 2]) {
    const next = pieces.next();
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
    expect((await next).value).toBe(':\n\n');
    expect(check).toHaveBeenCalledTimes(count);
  }
});

test('a failed check ends a stream with the error, not with the event', async () => {
  const { pieces, check } = stream({ event: 'progress', data: { secret: true } });
  check.mockRejectedValue(invalidCredential());

  const { value } = await pieces.next();

  expect(value).toMatch(/^event: end\ndata: \{"errors":\[\{"code":"invalid_credential"/);
  expect((await pieces.next()).done).toBe(true);
});

test('a stream whose source fails ends with an error that reveals nothing, and reports it', async () => {
  const { pieces, never, report } = stream();
  const next = pieces.next();
  const failure = new Error('connection to 10.0.0.7 lost');
  never.reject(failure);

  expect((await next).value).toMatch(/^event: end\ndata: \{"errors":\[\{"code":"internal_error"/);
  expect(report.mock.calls).toEqual([[failure]]);
});

test.each(['while it waits', 'before it begins'])(
  'a stream that is ended %s ends',
  async (when) => {
    const { pieces, ended } = stream();
    if (when === 'before it begins') ended.abort();
    const next = pieces.next();
    ended.abort();

    expect((await next).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  },
);

import { expect, test } from 'vitest';
import { createBreaker } from '../../../src/platform/concurrency/breaker.ts';

function setUpBreaker() {
  const state = { now: 0, opened: 0, closed: 0 };
  const breaker = createBreaker({
    now: () => state.now,
    onOpen() {
      state.opened += 1;
    },
    onClose() {
      state.closed += 1;
    },
  });
  const fail = (count: number) => {
    for (let failure = 0; failure < count; failure += 1)
      breaker.enter()?.reportFailure(new Error('unreachable'));
  };
  return { state, breaker, fail };
}

test('four failures in a row leave the breaker closed, and the fifth opens it once', () => {
  const { state, breaker, fail } = setUpBreaker();

  fail(4);
  breaker.enter()?.reportSuccess();
  fail(4);
  expect([breaker.isOpen(), state.opened]).toEqual([false, 0]);
  fail(3);
  expect([breaker.isOpen(), breaker.enter(), state.opened]).toEqual([true, null, 1]);
});

test('a hundred concurrent calls that fail count as one failure', () => {
  const { breaker } = setUpBreaker();
  const permits = Array.from({ length: 100 }, () => breaker.enter());

  for (const permit of permits) permit?.reportFailure(new Error('unreachable'));

  expect(breaker.isOpen()).toBe(false);
});

test('an open breaker lets one call per second through, and a success closes it', () => {
  const { state, breaker, fail } = setUpBreaker();
  fail(5);

  const allowed = [500, 999, 1_000, 1_001, 1_999, 2_000].map((now) => {
    state.now = now;
    return breaker.enter() !== null;
  });
  expect(allowed).toEqual([false, false, true, false, false, true]);
  fail(1);
  expect(breaker.enter()).toBeNull();
  state.now = 3_000;
  breaker.enter()?.reportSuccess();
  expect([breaker.isOpen(), breaker.enter() !== null, state.closed]).toEqual([false, true, 1]);
});

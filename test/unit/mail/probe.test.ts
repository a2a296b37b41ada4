import { expect, test } from 'vitest';
import { createProbe } from '../../../src/mail/probe.ts';
import { isRefusal } from '../../../src/platform/errors/refusal.ts';

function setUpProbe(cacheMs = 500) {
  const state = { now: 0, isUp: true, checks: 0 };
  const probe = createProbe({
    cacheMs,
    breakerMs: 2_000,
    now: () => state.now,
    async verify() {
      state.checks += 1;
      if (!state.isUp) throw new Error('refused');
    },
  });
  return { state, probe };
}

const codeOf = (work: Promise<void>) =>
  work.then(
    () => 'up',
    (error: unknown) => (isRefusal(error) ? error.code : error),
  );

test('concurrent callers share one check', async () => {
  const { state, probe } = setUpProbe();

  await Promise.all(Array.from({ length: 50 }, () => probe.requireAvailable()));

  expect(state.checks).toBe(1);
});

test('a result is cached for cacheMs, then checked again (rel:F-S1)', async () => {
  const { state, probe } = setUpProbe();
  await probe.requireAvailable();
  state.isUp = false;

  state.now = 499;
  expect(await codeOf(probe.requireAvailable())).toBe('up');
  state.now = 500;
  expect(await codeOf(probe.requireAvailable())).toBe('email_unavailable');
  state.isUp = true;
  expect(await codeOf(probe.requireAvailable())).toBe('email_unavailable');
  state.now = 1_000;
  expect(await codeOf(probe.requireAvailable())).toBe('up');
  expect(state.checks).toBe(3);
});

test('a delivery that cannot reach the mail server makes the forms unavailable at once', async () => {
  const { state, probe } = setUpProbe();
  await probe.requireAvailable();

  probe.open();

  expect(await codeOf(probe.requireAvailable())).toBe('email_unavailable');
  state.now = 2_000;
  expect(await codeOf(probe.requireAvailable())).toBe('up');
});

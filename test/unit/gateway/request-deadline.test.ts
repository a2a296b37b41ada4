import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import type { Route } from '../../../src/caller/route.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function route(handle: Route['handle'], within_ms?: number): Route {
  return defineRoute({
    method: 'POST',
    path: '/slow',
    access: 'public',
    operation_id: 'getTest',
    summary: '',
    tag: '',
    body: z.object({}),
    responses: { 200: z.object({}) },
    within_ms,
    handle: async (input) => ok(Object((await handle(input)).body)),
  });
}

// `setTimeout` of `node:timers/promises`, imported by name, is not faked.
const pause = (milliseconds: number) =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds));

interface Answer {
  errors?: { code: string; message: string }[];
}

/** Sends `{}` with its last byte after `bodyMs`; returns the outcome and the seconds it took. */
async function begin(to: Route, bodyMs: number) {
  const app = await createGatewayApp({ routes: [to] });
  await app.ready();
  const began = Date.now();
  const payload = new PassThrough();
  payload.write('{');
  setTimeout(() => void payload.end('}'), bodyMs);
  const response = await app.inject({
    ...{ method: 'POST', url: '/slow', payload },
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
  });
  const { code, message } = response.json<Answer>().errors?.[0] ?? {};
  return { status: response.statusCode, code, message, seconds: (Date.now() - began) / 1_000 };
}

async function send(to: Route, { bodyMs = 0 } = {}) {
  const pending = begin(to, bodyMs);
  for (let second = 0; second < 60; second += 1) await vi.advanceTimersByTimeAsync(1_000);
  return pending;
}

const overdue = {
  status: 503,
  code: 'service_unavailable',
  message: expect.stringContaining('may have been saved'),
};
/** A handler of `count` steps of 1.9 s, each within its own timeout. */
const steps = (count: number) => async () => {
  for (let step = 0; step < count; step += 1) await pause(1_900);
  return ok({});
};

test('a request of many steps, each within its timeout, has ten seconds in total (reliability.md 1.2)', async () => {
  expect(await send(route(steps(5)))).toMatchObject({ status: 200, seconds: 9.5 });
  expect(await send(route(steps(6)))).toEqual({ ...overdue, seconds: 10 });
});

test('a route that declares a longer limit has that limit', async () => {
  expect(await send(route(steps(10), 20_000))).toMatchObject({ status: 200, seconds: 19 });
  expect(await send(route(steps(11), 20_000))).toEqual({ ...overdue, seconds: 20 });
});

test('the time a body takes to arrive does not count toward the limit', async () => {
  const slow = { bodyMs: 25_000 };

  expect(await send(route(steps(5)), slow)).toMatchObject({ status: 200, seconds: 34.5 });
  expect(await send(route(steps(6)), slow)).toEqual({ ...overdue, seconds: 35 });
});

test('a route with rolls_back_late saves nothing after its 503', async () => {
  const saved: number[] = [];
  const savingRoute = (ms: number) => ({
    ...route(async ({ beforeCommit }) => {
      await pause(ms);
      beforeCommit();
      await pause(1_500);
      saved.push(ms);
      return ok({});
    }),
    rolls_back_late: true,
  });

  expect(await send(savingRoute(8_000))).toMatchObject({ status: 200, seconds: 9.5 });
  // A commit that has begun is awaited: its outcome is the response.
  expect(await send(savingRoute(9_000))).toMatchObject({ status: 200, seconds: 10.5 });
  expect(await send(savingRoute(11_000))).toMatchObject({
    status: 503,
    message: expect.not.stringContaining('may have been saved'),
    seconds: 10,
  });
  expect(saved).toEqual([8_000, 9_000]);
});

test('a request whose scope keeps changing is refused in time, with nothing saved', async () => {
  const tries: number[] = [];
  const began = performance.now();
  const changingRoute = route(async () => {
    tries.push(performance.now() - began);
    vi.advanceTimersByTime(900);
    throw new ConcurrentUpdate();
  });

  const pending = begin(changingRoute, 0);
  await vi.advanceTimersByTimeAsync(0);

  expect(await pending).toMatchObject({
    status: 503,
    code: 'service_unavailable',
    message: expect.not.stringContaining('saved'),
  });
  expect(tries.length).toBeGreaterThan(5);
  expect(Math.max(...tries)).toBeLessThan(8_000);
});

test('a jump of the wall clock does not end a request (deadlines are monotonic)', async () => {
  let tries = 0;
  const jumpingRoute = route(async () => {
    tries += 1;
    vi.setSystemTime(Date.now() + 3_600_000);
    if (tries === 1) throw new ConcurrentUpdate();
    return ok({});
  });

  const pending = begin(jumpingRoute, 0);
  await vi.advanceTimersByTimeAsync(0);

  expect(await pending).toMatchObject({ status: 200 });
});

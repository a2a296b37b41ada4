import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import { registerAuthorizationServer } from '../../../src/oauth/server/routes.ts';
import type { Reply } from '../../../src/caller/route.ts';
import { limited, unavailable } from '../../../src/platform/errors/refusal.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';

interface Line {
  level: number;
  msg: string;
  request_id: string;
  err: { message: string };
}
const ERROR = 50;
const WARN = 40;

const lines: Line[] = [];
const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line) as Line) });
afterEach(() => void lines.splice(0));

/** Starts a gateway with a route that replies in this way. */
async function listening(reply: Partial<Reply>, long_reply: 'file' | 'events' = 'file') {
  const route = defineRoute({
    method: 'GET',
    path: '/api/long',
    access: 'public',
    operation_id: 'getLong',
    summary: '',
    tag: '',
    responses: { 200: z.object({}) },
    long_reply,
    handle: () => ({ ...ok(undefined), ...reply }) as never,
  });
  return (await createGatewayApp({ routes: [route], log })).listen();
}

/** Pieces of which the second fails. */
async function* failing(error: unknown) {
  yield 'x'.repeat(100_000);
  throw error;
}

test.each([
  ['a defect', new Error('defect'), ERROR, 'response failed with an internal error'],
  [
    'an outage',
    unavailable('no answer'),
    WARN,
    'response cut off: a backing service is unavailable',
  ],
])('%s after the first byte of a file is logged', async (_, error, level, msg) => {
  const response = await fetch(`${await listening({ pieces: failing(error) })}/api/long`);

  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
  expect(lines).toMatchObject([
    {
      level,
      msg,
      request_id: response.headers.get('x-request-id'),
      err: { message: error.message },
    },
  ]);
});

test('a file that is cut off for a reason of its client is not logged, nor one that it leaves', async () => {
  const url = await listening({ pieces: failing(limited('rate_limited', 'Wait.')) });
  await expect((await fetch(`${url}/api/long`)).text()).rejects.toThrow('terminated');

  const ended = vi.fn<() => void>();
  const left = await listening({
    pieces: (async function* () {
      try {
        for (;;) yield 'x'.repeat(100_000);
      } finally {
        ended();
      }
    })(),
  });
  await (await fetch(`${left}/api/long`)).body!.cancel();

  await expect.poll(() => ended.mock.calls.length).toBe(1);
  expect(lines).toEqual([]);
});

test('a defect in a stream of events is logged', async () => {
  const events = async function* () {
    yield { event: 'progress', data: {} };
    throw new Error('defect');
  };
  const response = await fetch(`${await listening({ events }, 'events')}/api/long`);

  expect(await response.text()).toContain('internal_error');
  expect(lines).toMatchObject([
    { level: ERROR, msg: 'event stream failed with an internal error', err: { message: 'defect' } },
  ]);
});

test.each([
  ['before its response began is answered 500', false],
  ['after its response began cuts it off', true],
])('an OAuth request that fails %s, and is logged', async (_, hasBegun) => {
  const server = {
    publicUrl: 'http://localhost',
    limit: async () => {},
    ready: async () => async (_request: unknown, response: { write(text: string): void }) => {
      if (hasBegun) response.write('{');
      throw new Error('defect');
    },
  };
  const app = await createGatewayApp({
    plugins: [
      (scope) =>
        registerAuthorizationServer(scope, server as never, { clientAddress: () => '', log }),
    ],
  });
  const url = `${await app.listen()}/oauth/authorize`;

  if (hasBegun) await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
  else {
    const response = await fetch(url);
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: 'server_error' },
    ]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  }
  expect(lines).toMatchObject([
    {
      level: ERROR,
      msg: 'OAuth request failed with an internal error',
      err: { message: 'defect' },
    },
  ]);
});

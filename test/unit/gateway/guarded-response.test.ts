import { createServer, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { GuardedResponse } from '../../../src/gateway/http/guarded-response.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Returns the headers that a client receives with a response written by `write`. */
async function headersOf(write: (response: GuardedResponse) => unknown): Promise<Headers> {
  const server = createServer(
    { IncomingMessage, ServerResponse: GuardedResponse },
    (_request, response) => {
      response.guards = ['cache-control', 'no-store', 'x-frame-options', 'DENY'];
      write(response);
    },
  ).listen(0, '127.0.0.1');
  closers.push(() => void server.close());
  await new Promise((resolve) => void server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}`);
  return headers;
}

test.each<[string, (response: GuardedResponse) => unknown]>([
  ['a list', (response) => response.writeHead(200, ['x-own', 'yes']).end()],
  ['an object', (response) => response.writeHead(200, { 'x-own': 'yes' }).end()],
  ['headers set before', (response) => response.setHeader('x-own', 'yes').end()],
  [
    'headers set before, and a list',
    (response) => response.setHeader('x-own', 'yes').writeHead(200, ['x-other', 'yes']).end(),
  ],
])('every response has its guard headers: with %s', async (_how, write) => {
  const headers = await headersOf(write);

  expect(headers.get('x-own')).toBe('yes');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-frame-options')).toBe('DENY');
});

test.each<[string, (response: GuardedResponse) => unknown]>([
  ['an object', (response) => response.writeHead(200, { 'Cache-Control': 'no-cache' }).end()],
  ['set before', (response) => response.setHeader('Cache-Control', 'no-cache').end()],
])('a header the response sets replaces its guard: %s', async (_how, write) => {
  const headers = await headersOf(write);

  expect(headers.get('cache-control')).toBe('no-cache');
  expect(headers.get('x-frame-options')).toBe('DENY');
});

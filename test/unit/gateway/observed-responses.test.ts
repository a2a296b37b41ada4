import { request as openRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import type { ObservedRequest } from '../../../src/gateway/operations/metrics.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';

const SLOW_MS = 50;

const seen: ObservedRequest[] = [];
afterEach(() => void seen.splice(0));

/** Starts a gateway with a slow endpoint in the API, and a slow `/mcp`. */
async function listening(slowMs = SLOW_MS) {
  const slow = defineRoute({
    method: 'GET',
    path: '/api/slow',
    access: 'public',
    operation_id: 'getSlow',
    summary: '',
    tag: '',
    responses: { 200: z.object({}) },
    handle: async () => setTimeout(slowMs, ok({})),
  });
  const app = await createGatewayApp({
    routes: [slow],
    mcp: (scope) => void scope.get('/mcp', () => setTimeout(slowMs, {})),
    observe: (request) => void seen.push(request),
  });
  return app.listen();
}

test.each(['/api/slow', '/mcp'])(
  'a slow request to %s is observed with its duration',
  async (path) => {
    const response = await fetch((await listening()) + path);
    await response.text();

    await expect
      .poll(() => seen)
      .toEqual([{ route: path, method: 'GET', status: 200, seconds: expect.any(Number) }]);
    // Timers may end a millisecond early.
    expect(seen[0]!.seconds).toBeGreaterThan((SLOW_MS - 5) / 1_000);
    expect(seen[0]!.seconds).toBeLessThan(5);
  },
);

test.each(['/api/slow', '/mcp'])(
  'a request to %s whose client went before the response is observed once, with status 499',
  async (path) => {
    const request = openRequest((await listening(500)) + path);
    request.on('error', () => {}).end();
    await setTimeout(SLOW_MS);
    request.destroy();

    await expect.poll(() => seen).toMatchObject([{ route: path, status: 499 }]);
    await setTimeout(500);
    expect(seen).toHaveLength(1);
  },
);

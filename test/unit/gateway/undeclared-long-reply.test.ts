import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';

test.each([
  ['pieces', { pieces: (async function* () {})() }],
  ['events', { events: async function* () {} }],
])('%s of a route without `long_reply` are refused: nothing would check them', async (_, reply) => {
  const route = defineRoute({
    method: 'GET',
    path: '/api/long',
    access: 'public',
    operation_id: 'getLong',
    summary: '',
    tag: '',
    responses: { 200: z.object({}) },
    handle: () => ({ ...ok(undefined), ...reply }),
  });
  const app = await createGatewayApp({ routes: [route] });

  expect((await app.inject('/api/long')).statusCode).toBe(500);
});

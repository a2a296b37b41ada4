import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import type { SessionPrincipal } from '../../../src/caller/principal.ts';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import { createPipeline } from '../../../src/gateway/pipeline.ts';
import type { Incoming } from '../../../src/gateway/pipeline.ts';

const id = '0190aaaa-0000-7000-8000-000000000001';
const caller: Omit<SessionPrincipal, 'scopes'> = {
  credential: { kind: 'session', id },
  subject: `user:${id}`,
  context: `account:${id}`,
  person: id,
  quota_owner: { kind: 'account', id, plan: 'free' },
  organization: null,
  email: 'ada@example.com',
  auth_time: '2026-01-01T00:00:00.000Z',
};

test('concurrent changes are each decided again at most once, not once per other commit', async () => {
  let nonce = 0;
  let decisions = 0;
  const change = defineRoute({
    method: 'GET',
    path: '/change',
    access: { interactive: 'manage_account' },
    operation_id: 'getTest',
    summary: '',
    tag: '',
    responses: { 200: z.object({ nonce: z.number() }) },
    async handle({ caller: { scopes } }) {
      await setTimeout(1);
      if (scopes[0]!.nonce !== String(nonce)) throw new ConcurrentUpdate();
      nonce += 1;
      return ok({ nonce });
    },
  });
  const handleRequest = createPipeline({
    authentication: {
      async authenticate() {
        decisions += 1;
        const scope = { kind: 'account' as const, id, revision: 1, applied: 1, content: 1 };
        return { ...caller, scopes: [{ ...scope, nonce: String(nonce) }] };
      },
      requireInteractive: () => {},
    } as unknown as Parameters<typeof createPipeline>[0]['authentication'],
    check: async () => new Map([['can_manage_account', true]]),
    grantName: () => null,
    origins: new Set(),
    cursors: null as never,
  });
  const incoming = { raw: {} as IncomingMessage, credentials: {}, params: {}, query: {} };

  const answers = await Promise.all(
    Array.from({ length: 30 }, () => handleRequest(change, incoming as unknown as Incoming)),
  );

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect([nonce, decisions]).toEqual([30, 30 + 29]);
});

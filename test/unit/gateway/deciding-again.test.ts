import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import type { SessionPrincipal } from '../../../src/caller/principal.ts';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import { unauthenticated } from '../../../src/platform/errors/refusal.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';

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

const LONG_MS = 300;
const scopeAt = (nonce: string) => ({
  ...{ kind: 'account' as const, id, revision: 1, applied: 1, nonce, content: 1 },
});

const slow: [what: string, Slow, Record<'authentications' | 'decisions' | 'effects', number>][] = [
  [
    'is authenticated once more, and the decision stands',
    {},
    { authentications: 2, decisions: 1, effects: 1 },
  ],
  [
    'is not handled if its credential is revoked meanwhile (A5)',
    { isRevoked: true },
    { authentications: 2, decisions: 1, effects: 0 },
  ],
  [
    'is decided again if its authority changes meanwhile',
    { changes: 1 },
    { authentications: 3, decisions: 2, effects: 1 },
  ],
  [
    'is handled even if authentication is slow too',
    { authenticationMs: LONG_MS },
    { authentications: 2, decisions: 1, effects: 1 },
  ],
];

interface Slow {
  isRevoked?: boolean;
  /** How many decisions the authority changes in. */
  changes?: number;
  authenticationMs?: number;
}

test.each(slow)(
  'a request whose decisions are always slow %s',
  async (_, { isRevoked = false, changes = 0, authenticationMs = 0 }, expected) => {
    let authentications = 0;
    let decisions = 0;
    let effects = 0;
    const read = defineRoute({
      method: 'GET',
      path: '/read',
      access: { interactive: 'manage_account' },
      operation_id: 'getTest',
      summary: '',
      tag: '',
      responses: { 200: z.object({}) },
      async handle() {
        effects += 1;
        return ok({});
      },
    });
    const app = await createGatewayApp({
      routes: [read],
      authentication: {
        async authenticate() {
          authentications += 1;
          await setTimeout(authenticationMs);
          if (authentications > 1 && isRevoked)
            throw unauthenticated('invalid_credential', 'The credential is not valid.');
          return { ...caller, scopes: [scopeAt(String(Math.min(decisions, changes)))] };
        },
        requireInteractive: () => {},
      },
      async check() {
        decisions += 1;
        await setTimeout(LONG_MS);
        return new Map([['can_manage_account', true]]);
      },
    });

    const { statusCode } = await app.inject('/read');

    expect(statusCode).toBe(isRevoked ? 401 : 200);
    expect({ authentications, decisions, effects }).toEqual(expected);
  },
);

test('concurrent changes are each decided again at most once, not once per other commit', async () => {
  let nonce = 0;
  let decisions = 0;
  const change = defineRoute({
    method: 'DELETE',
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
  const app = await createGatewayApp({
    routes: [change],
    authentication: {
      async authenticate() {
        decisions += 1;
        return { ...caller, scopes: [scopeAt(String(nonce))] };
      },
      requireInteractive: () => {},
    },
    check: async () => new Map([['can_manage_account', true]]),
  });
  const send = () => app.inject({ method: 'DELETE', url: '/change' });

  const answers = await Promise.all(Array.from({ length: 30 }, send));

  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
  expect([nonce, decisions]).toEqual([30, 30 + 29]);
});

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConcurrentUpdate, createRetry } from '../../../src/authz/authz.ts';
import type { SessionPrincipal } from '../../../src/caller/principal.ts';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import { unauthenticated } from '../../../src/platform/errors/refusal.ts';
import { createPipeline } from '../../../src/gateway/pipeline.ts';
import type { Incoming } from '../../../src/gateway/decisions.ts';

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
    const handleRequest = createPipeline({
      authentication: {
        async authenticate() {
          authentications += 1;
          await setTimeout(authenticationMs);
          if (authentications > 1 && isRevoked)
            throw unauthenticated('invalid_credential', 'The credential is not valid.');
          return { ...caller, scopes: [scopeAt(String(Math.min(decisions, changes)))] };
        },
        requireInteractive: () => {},
      } as unknown as Parameters<typeof createPipeline>[0]['authentication'],
      async check() {
        decisions += 1;
        await setTimeout(LONG_MS);
        return new Map([['can_manage_account', true]]);
      },
      requireReauthentication: async () => ({ password_hash: null }),
      grantName: () => null,
      origins: new Set(),
      routes: [],
      cursors: null as never,
      idempotency: null as never,
      jobs: null as never,
      retry: createRetry(),
      shutdown: new AbortController().signal,
      log: null as never,
    });
    const incoming = { raw: {} as IncomingMessage, credentials: {}, params: {}, query: {} };

    const answer = handleRequest(read, incoming as unknown as Incoming);

    if (isRevoked) await expect(answer).rejects.toMatchObject({ kind: 'unauthenticated' });
    else expect(await answer).toMatchObject({ status: 200 });
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
  const handleRequest = createPipeline({
    authentication: {
      async authenticate() {
        decisions += 1;
        return { ...caller, scopes: [scopeAt(String(nonce))] };
      },
      requireInteractive: () => {},
    } as unknown as Parameters<typeof createPipeline>[0]['authentication'],
    check: async () => new Map([['can_manage_account', true]]),
    requireReauthentication: async () => ({ password_hash: null }),
    grantName: () => null,
    origins: new Set(),
    routes: [],
    cursors: null as never,
    idempotency: null as never,
    jobs: null as never,
    retry: createRetry(),
    shutdown: new AbortController().signal,
    log: null as never,
  });
  const send = () => {
    const raw = Object.assign(Readable.from([]), { rawHeaders: [], headers: {} });
    const rest = { facts: { address: '127.0.0.1' }, credentials: {}, params: {}, query: {} };
    return handleRequest(change, { raw, ...rest } as unknown as Incoming);
  };

  const answers = await Promise.all(Array.from({ length: 30 }, send));

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect([nonce, decisions]).toEqual([30, 30 + 29]);
});

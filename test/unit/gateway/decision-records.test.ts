import { expect, test } from 'vitest';
import { z } from 'zod';
import type { SessionPrincipal } from '../../../src/caller/principal.ts';
import { permissionDenied } from '../../../src/caller/refusals.ts';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import type { RouteInput } from '../../../src/caller/route.ts';
import type { MadeDecision } from '../../../src/decision-log/decision-log.ts';
import { absent, unavailable } from '../../../src/platform/errors/refusal.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';

const id = '0190aaaa-0000-7000-8000-000000000001';
const caller: SessionPrincipal = {
  credential: { kind: 'session', id },
  subject: `user:${id}`,
  context: `account:${id}`,
  person: id,
  quota_owner: { kind: 'account', id, plan: 'free' },
  organization: { id, status: 'active', plan: 'free' },
  scopes: [],
  email: 'ada@example.com',
  auth_time: '2026-01-01T00:00:00.000Z',
};

type Input = RouteInput<unknown, unknown, unknown, unknown>;

/** Sends a request to a route with this handler, and returns what was recorded. */
async function recorded(
  handle: (input: Input) => unknown,
  answers: (asked: number) => boolean = () => true,
) {
  const decisions: MadeDecision[] = [];
  let asked = 0;
  const read = defineRoute({
    method: 'GET',
    path: '/organizations/{organization_id}',
    access: { on: 'organization', permission: 'members_read' },
    operation_id: 'getTest',
    summary: '',
    tag: '',
    params: z.object({ organization_id: z.guid() }),
    responses: { 200: z.object({}) },
    async handle(input) {
      await handle(input as unknown as Input);
      return ok({});
    },
  });
  const app = await createGatewayApp({
    routes: [read],
    authentication: { authenticate: async () => caller, requireInteractive() {} },
    grantName: (_on, relation) => `can_view_${relation}`,
    recordDecision: (decision) => void decisions.push(decision),
    async check(_principal, relations) {
      asked += 1;
      return new Map(relations.map((one) => [one, one === 'can_see' || answers(asked)]));
    },
  });
  const { statusCode, headers } = await app.inject({ url: `/organizations/${id}` });
  const rows = decisions.map(({ action, denial, request_id }) => {
    expect(request_id).toBe(headers['x-request-id']);
    return [action, denial?.reason ?? 'allowed'];
  });
  return [statusCode, ...rows];
}
const REQUIRED = 'can_view_members_read';

test('a handler that fails does not change what was decided', async () => {
  expect(await recorded(() => {})).toEqual([200, [REQUIRED, 'allowed']]);
  expect(
    await recorded(() => {
      throw absent();
    }),
  ).toEqual([404, [REQUIRED, 'allowed']]);
});

test('a permission that a handler requires in addition is the decision if it is missing', async () => {
  const handle = () => {
    throw permissionDenied('can_do_more');
  };

  expect(await recorded(handle)).toEqual([403, ['can_do_more', 'permission_missing']]);
});

test('a request that is decided again while it is handled, and then denied, has one decision', async () => {
  const again = ({ authorizeAgain }: Input) => authorizeAgain();

  expect(await recorded(again)).toEqual([200, [REQUIRED, 'allowed']]);
  expect(await recorded(again, (asked) => asked === 1)).toEqual([
    ...[403, [REQUIRED, 'permission_missing']],
  ]);
});

test('an outage decides nothing', async () => {
  const answers = () => {
    throw unavailable('OpenFGA is down');
  };

  expect(await recorded(() => {}, answers)).toEqual([503]);
});

import { expect, test } from 'vitest';
import type { UsageRecord } from '../../../src/limits/limits.ts';
import { createCallLog } from '../../../src/mcp/calls/call-log.ts';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { absent } from '../../../src/platform/errors/refusal.ts';

function follow(person: string | null = 'a') {
  const rows: UsageRecord[] = [];
  const calls = createCallLog({
    limits: {
      admit: async () => ({ session: null, admitted: true, month: '2026-01' }),
      record: (row) => void rows.push(row),
    },
    observe: () => {},
    recordDecision: () => {},
    recordUse: () => {},
  });
  const caller = {
    credential: { kind: 'api_key', id: 'k' },
    person,
    quota_owner: { kind: 'account', id: 'a', plan: 'free' },
    audit_arguments: false,
    tool_listing: 'all',
  };
  const call = { call_id: 'c', caller, params: {}, read_at: performance.now() } as unknown as Call;
  return { followed: calls.begin(call, 'content_read'), rows };
}

test('a call refused after its admission is recorded as failed and keeps its month', async () => {
  const { followed, rows } = follow();
  await followed.admit(async () => {});
  followed.refuse(absent());

  expect(rows.map(({ outcome, layer, admission }) => [outcome, layer, admission?.month])).toEqual([
    ['failed', 'tool', '2026-01'],
  ]);
});

test('a call ends once; later outcomes are ignored', async () => {
  const { followed, rows } = follow();
  await followed.admit(async () => {});
  followed.end('ok');
  followed.end('cancelled');
  followed.refuse(new Error('too late'));

  expect(rows.map(({ outcome }) => outcome)).toEqual(['ok']);
});

test('the layer that denied a call is recorded even where the error hides it', () => {
  const { followed, rows } = follow();
  followed.setDenyingLayer('policy');
  followed.refuse(absent());

  expect(rows.map(({ outcome, layer }) => [outcome, layer])).toEqual([['refused', 'policy']]);
});

test.each(['a', null])('the usage row of a call has the person of its principal: %s', (person) => {
  const { followed, rows } = follow(person);
  followed.end('ok');

  expect(rows.map(({ facts }) => facts.account_id)).toEqual([person]);
});

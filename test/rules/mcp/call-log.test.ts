import { expect, test } from 'vitest';
import type { UsageRecord } from '../../../src/limits/limits.ts';
import { createCallLog } from '../../../src/mcp/calls/call-log.ts';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { absent } from '../../../src/platform/errors/refusal.ts';

function follow() {
  const rows: UsageRecord[] = [];
  const calls = createCallLog({
    limits: {
      admit: async () => ({ session: null, admitted: true, month: '2026-01' }),
      record: (row) => void rows.push(row),
    },
    observe: () => {},
  });
  const caller = {
    credential: { kind: 'api_key', id: 'k' },
    person: 'a',
    quota_owner: { kind: 'account', id: 'a', plan: 'free' },
    audit_arguments: false,
  };
  const call = { call_id: 'c', caller, params: {} } as unknown as Call;
  return { followed: calls.begin(call, 'content_read'), rows };
}

test('a call that fails after its admission has run: it keeps its month', async () => {
  const { followed, rows } = follow();
  await followed.admit();
  followed.refuse(absent());

  expect(rows.map(({ outcome, layer, admission }) => [outcome, layer, admission?.month])).toEqual([
    ['failed', 'tool', '2026-01'],
  ]);
});

test('a call ends once, whatever is said of it later', async () => {
  const { followed, rows } = follow();
  await followed.admit();
  followed.end('ok');
  followed.end('cancelled');
  followed.refuse(new Error('too late'));

  expect(rows.map(({ outcome }) => outcome)).toEqual(['ok']);
});

test('a layer that hides behind an error is said before it', () => {
  const { followed, rows } = follow();
  followed.deniedBy('policy');
  followed.refuse(absent());

  expect(rows.map(({ outcome, layer }) => [outcome, layer])).toEqual([['refused', 'policy']]);
});

import { expect, test } from 'vitest';
import { toErrorResponse } from '../../../src/gateway/http/errors.ts';
import { NoResponse, UnansweredCommit } from '../../../src/platform/errors/unanswered.ts';
import { overdue, Refusal, unavailable } from '../../../src/platform/errors/refusal.ts';

test.each([
  ['a refusal', unavailable('postgres')],
  ['a refusal with a code of its own', new Refusal('unavailable', 'email_unavailable', 'No.')],
  ['a server that did not respond', new NoResponse('redis')],
  ['a connection that failed', Object.assign(new Error(), { code: 'ECONNREFUSED' })],
])('a 503 that saved nothing tells the client when to repeat it: %s', (_, error) => {
  const { status, headers } = toErrorResponse(error);

  expect([status, headers['retry-after']]).toEqual([503, '1']);
});

test.each([
  ['timed out', overdue()],
  ['was committed without an answer', new UnansweredCommit()],
])('a 503 of a change that %s does not ask the client to repeat it', (_, error) => {
  const { status, headers } = toErrorResponse(error);

  expect([status, headers['retry-after']]).toEqual([503, undefined]);
});

test('a refusal can set another time to wait', () => {
  const refusal = new Refusal('unavailable', 'email_unavailable', 'No.', { retryAfterSeconds: 5 });

  expect(toErrorResponse(refusal).headers['retry-after']).toBe('5');
});

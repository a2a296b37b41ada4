import { expect, test } from 'vitest';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { failureReply } from '../../../src/mcp/protocol/errors.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { overdue, unavailable } from '../../../src/platform/errors/refusal.ts';
import { UnansweredCommit } from '../../../src/platform/errors/unanswered.ts';

const replyTo = (error: unknown) =>
  failureReply(error, { method: 'tools/call' } as Call, createLog('silent'));

test('a call that saved nothing because of an outage asks the client to repeat it', () => {
  expect(replyTo(unavailable('postgres'))).toMatchObject({ retryAfterSeconds: 1 });
});

test.each([
  ['timed out', overdue()],
  ['was committed without an answer', new UnansweredCommit()],
])('a call that %s does not ask the client to repeat it', (_, error) => {
  expect(replyTo(error)).toEqual({
    error: { code: -32603, message: expect.stringContaining('may have been saved') },
  });
});

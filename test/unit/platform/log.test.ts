import { expect, test } from 'vitest';
import { createLog } from '../../../src/platform/observability/log.ts';
import { unavailable } from '../../../src/platform/errors/refusal.ts';

const KEY = 'sk_0190aaaa-1111-4222-8333-444455556666';

/** Returns a line of the log as text and as JSON. */
function logLine(fields: object, message = 'it happened') {
  let text = '';
  const log = createLog('info', { write: (line: string) => void (text += line) });
  log.warn(fields, message);
  return { text, line: JSON.parse(text) as Record<string, unknown> };
}

const names = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'captcha_token',
  'refresh_token',
  'access_token',
];

test.each(names)('a field called %s is not logged, at the top level or one level below', (name) => {
  const { text } = logLine({ [name]: 'canary', request: { [name]: 'canary', id: 'kept' } });

  expect(text).not.toContain('canary');
  expect(text).toContain('kept');
});

test('no header value is logged', () => {
  const headers = { 'x-api-key': 'canary', 'x-anything': 'canary' };

  expect(logLine({ headers, request: { headers } }).text).not.toContain('canary');
});

test('an API key in the message of an error or its cause is redacted', () => {
  const cause = new Error(`the row of ${KEY} is locked`);
  const { text, line } = logLine({
    err: new Error(`no such key: ${KEY.toUpperCase()}`, { cause }),
  });

  expect(text.toLowerCase()).not.toContain(KEY.slice(0, 12));
  expect(line['err']).toMatchObject({
    message: 'no such key: sk_[redacted]',
    cause: { message: 'the row of sk_[redacted] is locked' },
  });
});

test('an error is logged without the request it carries', () => {
  const request = { url: 'http://openfga', headers: { authorization: 'Bearer canary' } };
  const error = Object.assign(new Error('it refused'), {
    code: 'E1',
    request,
    config: request,
    responseData: { words: 'canary' },
  });

  const { text, line } = logLine({ err: error });

  expect(text).not.toContain('canary');
  expect(line['err']).toMatchObject({ type: 'Error', message: 'it refused', code: 'E1' });
});

test('the private reason of a refusal appears only in the log', () => {
  const refusal = unavailable('the pool is empty');

  expect(refusal.message).not.toContain('pool');
  expect(logLine({ err: refusal }).line['err']).toMatchObject({ reason: 'the pool is empty' });
});

test('a huge error is cut in the log', () => {
  expect(logLine({ err: new Error('x'.repeat(1_000_000)) }).text.length).toBeLessThan(20_000);
});

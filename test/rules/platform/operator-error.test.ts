import { expect, test } from 'vitest';
import { lastWords } from '../../../src/platform/errors/operator-error.ts';
import { ConfigError } from '../../../src/platform/config/config.ts';

test('what an operator can mend is said without a trace, a defect with it and its causes', () => {
  const cause = new TypeError('the cause');
  const defect = new Error('a defect', { cause });

  expect(lastWords(new ConfigError('PORT must be a number', { cause }))).toBe(
    'PORT must be a number',
  );
  expect(lastWords(defect)).toBe(`${defect.stack}\nCaused by: ${cause.stack}`);
  expect(lastWords('thrown')).toBe('thrown');
});

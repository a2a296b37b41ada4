import { expect, test } from 'vitest';
import { lastWords } from '../../../src/platform/errors/operator-error.ts';
import { ConfigError } from '../../../src/platform/config/config.ts';

test('a configuration error is printed without a stack, a defect with its stack and causes', () => {
  const cause = new TypeError('the cause');
  const defect = new Error('a defect', { cause });

  expect(lastWords(new ConfigError('PORT must be a number', { cause }))).toBe(
    'PORT must be a number',
  );
  expect(lastWords(defect)).toBe(`${defect.stack}\nCaused by: ${cause.stack}`);
  expect(lastWords('thrown')).toBe('thrown');
});

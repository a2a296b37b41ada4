import { expect, test } from 'vitest';
import { formatFatalError } from '../../../src/platform/errors/operator-error.ts';
import { ConfigError } from '../../../src/platform/config/config.ts';

test('a configuration error is printed without a stack, a defect with its stack and causes', () => {
  const cause = new TypeError('the cause');
  const defect = new Error('a defect', { cause });

  expect(formatFatalError(new ConfigError('PORT must be a number', { cause }))).toBe(
    'PORT must be a number',
  );
  expect(formatFatalError(defect)).toBe(`${defect.stack}\nCaused by: ${cause.stack}`);
  expect(formatFatalError('thrown')).toBe('thrown');
});

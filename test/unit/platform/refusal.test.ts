import { expect, test } from 'vitest';
import { isRefusal, throwIfProblems } from '../../../src/platform/errors/refusal.ts';

test('an error lists at most 20 problems (rel:B7-6)', () => {
  const problems = Array.from({ length: 21 }, (_, index) => ({
    ...{ code: 'unknown_item' as const, message: 'The item does not exist.' },
    detail: { pointer: `/tools/${index}` },
  }));

  let thrown: unknown;
  try {
    throwIfProblems(problems);
  } catch (error) {
    thrown = error;
  }

  expect(isRefusal(thrown) && thrown.problems).toEqual(problems.slice(0, 20));
});

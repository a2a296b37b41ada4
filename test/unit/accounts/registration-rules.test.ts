import { expect, test } from 'vitest';
import { readRegistration } from '../../../src/accounts/registration/registration-rules.ts';
import { isRefusal } from '../../../src/platform/errors/refusal.ts';

const valid = {
  email: 'Ada@Example.com',
  password: 'any',
  first_name: ' Ada ',
  last_name: '',
  locale: 'de-CH',
};
const acceptAny = () => null;

const problemsOf = (
  change: Partial<typeof valid>,
  judgePassword: () => null | 'short' = acceptAny,
) => {
  try {
    readRegistration({ ...valid, ...change }, judgePassword);
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [error.kind, ...error.problems.map(({ code, detail }) => ({ code, detail }))];
  }
};

test('a registration is normalized to its stored form', () => {
  expect(readRegistration(valid, acceptAny)).toEqual({
    email: 'ada@example.com',
    first_name: 'Ada',
    last_name: null,
    locale: 'de',
  });
});

test('every problem is reported with its JSON pointer', () => {
  const faults = {
    email: 'ada',
    locale: 'eng',
    first_name: 'A\u202eda',
    last_name: 'x'.repeat(101),
  };

  expect(problemsOf(faults, () => 'short' as const)).toEqual([
    'malformed',
    { code: 'invalid_email', detail: { pointer: '/email' } },
    { code: 'invalid_locale', detail: { pointer: '/locale' } },
    { code: 'invalid_name', detail: { pointer: '/first_name' } },
    { code: 'invalid_name', detail: { pointer: '/last_name' } },
    { code: 'weak_password', detail: { pointer: '/password' } },
  ]);
});

test.each(['A\u0000', 'A\nB', 'A\u200bB', 'A\u2066B', 'A\u2028B'])(
  'a name with %j is refused (rel:B2-9)',
  (first_name) => {
    expect(problemsOf({ first_name })).toEqual([
      'malformed',
      { code: 'invalid_name', detail: { pointer: '/first_name' } },
    ]);
  },
);

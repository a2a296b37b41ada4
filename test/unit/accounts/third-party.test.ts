import { describe, expect, test } from 'vitest';
import { readPerson } from '../../../src/accounts/providers/person.ts';
import { readReturnPath } from '../../../src/accounts/providers/return-path.ts';
import { refusedReasons } from '../../../src/accounts/providers/schema.ts';
import { texts } from '../../../src/texts/texts.ts';

describe('a person is read from claims', () => {
  const read = (claims: Record<string, unknown>) =>
    readPerson('https://id', { sub: 'a', ...claims });

  test('with only a subject', () => {
    expect(read({})).toEqual({
      issuer: 'https://id',
      subject: 'a',
      email: null,
      first_name: null,
      last_name: null,
      locale: null,
    });
  });

  test.each([true, 'true', 1, null, undefined, {}, [true]])(
    'with the e-mail address only if email_verified is true: %j',
    (email_verified) => {
      const { email } = read({ email: 'Ada@Example.com', email_verified });

      expect(email).toBe(email_verified === true ? 'ada@example.com' : null);
    },
  );

  test.each([
    [{ given_name: 'Ada', family_name: 'King', name: 'Countess' }, 'Ada', 'King'],
    [{ family_name: 'King', name: 'Ada King' }, null, 'King'],
    [{ name: '  Ada  Augusta King ' }, 'Ada', 'Augusta King'],
    [{ name: 'Ada' }, 'Ada', null],
    [{ name: '' }, null, null],
    [{ name: 5, given_name: ['Ada'] }, null, null],
    [{ given_name: '\u200B\u202E\u0000' }, null, null],
    [{ given_name: `${'x'.repeat(99)}\u{1F600}` }, 'x'.repeat(99), null],
  ])('with the names %j', (claims, first_name, last_name) => {
    expect(read(claims)).toMatchObject({ first_name, last_name });
  });

  test.each([
    ['de', 'de'],
    ['zh-Hant-TW', 'zh'],
    ['xx', 'en'],
    ['pt_BR', null],
    ['deutsch', null],
    [5, null],
  ])('with the language %j as %j', (locale, expected) => {
    expect(read({ locale }).locale).toBe(expected);
  });

  test.each(['', 'a\u0000', 'ä', 'x'.repeat(256), 5, null, undefined])(
    'but not with the subject %j',
    (sub) => {
      expect(() => readPerson('https://id', { sub })).toThrow();
    },
  );
});

describe('a return path', () => {
  const read = (path: string | undefined) => readReturnPath(path, 'https://app.example.com');

  test.each([
    ['/', '/'],
    ['/keys/new', '/keys/new'],
    ['/keys?name=a%20b&x=1#new', '/keys?name=a%20b&x=1#new'],
    ['/a/../b', '/b'],
    ['/ä', '/%C3%A4'],
    ['/?to=https://evil.example', '/?to=https://evil.example'],
    ['/@evil.example', '/@evil.example'],
  ])('%j on the dashboard is accepted', (path, expected) => {
    expect(read(path)).toBe(expected);
  });

  test.each([
    undefined,
    '',
    'keys',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/\u0000',
    '/\r\nSet-Cookie: a=b',
    '/\u202E',
    '/\uD800',
  ])('%j is replaced by the front page', (path) => {
    expect(read(path)).toBe('/');
  });
});

test('/sign-in/refused has a message for each refusal reason, and no other', () => {
  const { title: _, ...words } = texts.en.pages.sign_in_refused;

  expect(Object.keys(words).toSorted()).toEqual(refusedReasons.toSorted());
});

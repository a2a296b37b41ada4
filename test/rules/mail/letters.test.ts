import { expect, test } from 'vitest';
import { createLetters } from '../../../src/mail/letters.ts';

const letters = createLetters('tools.example.com');
const link = 'https://tools.example.com/verify#token=a&b';

test('an e-mail says the same in HTML and in text, each with its link', () => {
  const letter = letters.write('verify', 'en', link);

  expect(letter.subject).toBe('Confirm your e-mail address');
  expect(letter.text).toContain(link);
  expect(letter.html).toContain('href="https://tools.example.com/verify#token=a&amp;b"');
  for (const part of [letter.text, letter.html])
    expect(part).toContain('The link works for 24 hours.');
  expect(letter.text).toContain('tools.example.com');
});

test.each(['is', 'vi', 'constructor', ''])(
  'an e-mail in a language without a translation (%j) is entirely English (rel:B4-2)',
  (locale) => {
    expect(letters.write('already_registered', locale, null)).toEqual(
      letters.write('already_registered', 'en', null),
    );
  },
);

test('an e-mail has no missing sentence', () => {
  for (const letter of [
    letters.write('verify', 'en', link),
    letters.write('already_registered', 'en', null),
  ])
    for (const part of Object.values(letter))
      expect(part).not.toMatch(/verify\.|already_registered\.|frame\.|\{\{|undefined/);
});

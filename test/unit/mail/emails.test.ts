import { expect, test } from 'vitest';
import { createEmailTemplates } from '../../../src/mail/emails.ts';

const templates = createEmailTemplates('tools.example.com');
const link = 'https://tools.example.com/verify#token=a&b';

test('an e-mail has the same content in HTML and in text, and both contain the link', () => {
  const email = templates.render('verify', 'en', link);

  expect(email.subject).toBe('Confirm your e-mail address');
  expect(email.text).toContain(link);
  expect(email.html).toContain('href="https://tools.example.com/verify#token=a&amp;b"');
  for (const part of [email.text, email.html])
    expect(part).toContain('This link expires in 24 hours.');
  expect(email.text).toContain('tools.example.com');
});

test.each(['is', 'vi', 'constructor', ''])(
  'an e-mail in a language without a translation (%j) is entirely in English (rel:B4-2)',
  (locale) => {
    expect(templates.render('already_registered', locale, null)).toEqual(
      templates.render('already_registered', 'en', null),
    );
  },
);

test('no text is missing from an e-mail', () => {
  for (const email of [
    templates.render('verify', 'en', link),
    templates.render('already_registered', 'en', null),
  ])
    for (const part of Object.values(email))
      expect(part).not.toMatch(/verify\.|already_registered\.|frame\.|\{\{|undefined/);
});

import { expect, test } from 'vitest';
import { texts } from '../../../../src/texts/texts.ts';
import { createPerson, newEmail, ownAddresses, signUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);

test.each([
  ['de-CH', 'de', 'de'],
  ['EN', 'en', 'en'],
  ['es-419', 'es', 'es'],
  ['zh-Hant-TW', 'zh', 'zh'],
  ['ar', 'ar', 'ar'],
  ['fi', 'fi', 'en'],
  ['he-IL', 'he', 'en'],
  ['xx', 'en', 'en'],
  ['iw', 'en', 'en'],
] as const)(
  'a registration in %s is stored as %s and gets an e-mail in %s (rel:B4-2, B4-3)',
  async (locale, stored, language) => {
    const email = newEmail();

    const { status } = await createPerson(gateway.url).register({ email, locale });
    const message = await world.mailbox.next(email);

    expect(status).toBe(201);
    const rows = await world.query('SELECT locale FROM registration WHERE email = $1', [email]);
    expect(rows).toEqual([{ locale: stored }]);
    expect(message.subject).toBe(texts[language].emails.verify.subject);
    expect(message.headers['content-language']).toBe(language);
    const direction = language === 'ar' ? 'rtl' : 'ltr';
    expect(message.html).toContain(`<html lang="${language}" dir="${direction}">`);
    expect(message.text).toContain(texts[language].emails.verify.greeting);
  },
);

test.each(['e', 'eng', 'fil-PH', 'e1', 'en_US', 'zh-Hant', '', 5, null, undefined])(
  'locale %j is rejected with 400, and no e-mail is sent (rel:B4-1)',
  async (locale) => {
    const email = newEmail();

    const { status } = await createPerson(gateway.url).register({ email, locale });

    expect(status).toBe(400);
    const saved = `SELECT FROM registration WHERE email = $1
      UNION ALL SELECT FROM mail_job WHERE address = $1`;
    expect(await world.query(saved, [email])).toEqual([]);
  },
);

test('for an existing account the e-mail is in its language, regardless of the registration’s language', async () => {
  const ada = await signUp(world, gateway);
  await world.query(`UPDATE account SET locale = 'ja' WHERE id = $1`, [ada.account_id]);

  await createPerson(gateway.url).register({ email: ada.email, locale: 'fr' });

  expect(await world.mailbox.next(ada.email)).toMatchObject({
    subject: texts.ja.emails.already_registered.subject,
    headers: { 'content-language': 'ja' },
  });
});

test('e-mails contain no text that a person typed', async () => {
  const email = newEmail();
  const typed = { first_name: 'Cheap pills', last_name: 'https://spam.example.net' };

  await createPerson(gateway.url).register({ email, ...typed });

  const message = await world.mailbox.next(email);
  expect(JSON.stringify({ ...message, to: '' })).not.toMatch(/pills|spam\.example/);
});

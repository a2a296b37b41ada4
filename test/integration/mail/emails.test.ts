import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { look } from '../../../src/look/look.ts';
import { createEmailTemplates } from '../../../src/mail/emails.ts';
import type { EmailKind } from '../../../src/mail/emails.ts';
import { createMailTransport } from '../../../src/mail/transport.ts';
import { translatedLanguages } from '../../../src/texts/languages.ts';
import { texts } from '../../../src/texts/texts.ts';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { createMailbox } from '../../support/people/mailbox.ts';
import type { ReceivedEmail } from '../../support/people/mailbox.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const host = 'tools.example.com';
const link = `https://${host}/verify#token=7Jq0bXkM2vWcR9sLhT4nZ8fYpD1aE6gUoKi3BxVmCQw`;
const values = { provider: 'Identity & Co', time: new Date('2026-12-07T14:30:00Z') };
/** Returns the link, or null for kinds of e-mail without a button. */
const linkOf = (kind: EmailKind) => ('action' in texts.en.emails[kind] ? link : null);
const kinds = (Object.keys(texts.en.emails) as (EmailKind | 'frame')[]).filter(
  (kind) => kind !== 'frame',
);

const mailbox = await closeAfterTests(createMailbox());
const from = 'toolgate <no-reply@tools.example.com>';
const transport = await closeAfterTests(
  createMailTransport({ url: mailbox.url, from, hostname: host }),
);

/** Renders and sends an e-mail, and parses it like a mail client. */
async function receive(kind: EmailKind, language: string): Promise<ReceivedEmail> {
  const to = `${kind}-${language}@example.com`;
  const email = createEmailTemplates(host).render(kind, language, linkOf(kind), values);
  expect(await transport.send(`${kind}.${language}`, to, email)).toEqual({ outcome: 'accepted' });
  return mailbox.next(to);
}

const timeIn = (language: string) =>
  new Intl.DateTimeFormat(language, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone: 'UTC', timeZoneName: 'short' },
  }).format(values.time);
const filledIn = (language: string) => (text: string) =>
  text
    .replaceAll('{{provider}}', values.provider)
    .replaceAll('{{time}}', timeIn(language))
    .replaceAll('{{host}}', host);
const asHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&quot;');

describe.each(kinds)('the e-mail %s', (kind) => {
  test.each(translatedLanguages)(
    'arrives in %s, with the same content in HTML and in text',
    async (language) => {
      const { frame, [kind]: emailTexts } = texts[language].emails;
      const email = await receive(kind, language);
      const filled = filledIn(language);

      expect(email.subject).toBe(emailTexts.subject);
      expect(email.headers).toMatchObject({
        'content-language': language,
        'auto-submitted': 'auto-generated',
        'message-id': `<${kind}.${language}@${host}>`,
      });
      expect(email.html).toContain(
        `<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`,
      );
      const isLinked = linkOf(kind) !== null;
      expect(email.html.split(`href="${link}"`)).toHaveLength(isLinked ? 3 : 1);
      expect(email.text.split('\n').includes(link)).toBe(isLinked);
      if (!isLinked) expect(email.html + email.text).not.toMatch(/href|https?:/);
      for (const sentence of Object.values(emailTexts)) {
        expect(`${email.subject}\n${email.text}`).toContain(filled(sentence));
        expect(email.html).toContain(asHtml(filled(sentence)));
      }
      expect(email.text).toContain(filled(frame.footer));
      expect(email.html).toContain(asHtml(filled(frame.footer)));
      expect(email.html + email.text).not.toMatch(/\{\{|undefined|&amp;amp;/);
      expect(email.html).not.toMatch(/<(?:script|img|link|form|iframe)|url\(|\son\w+=/i);
    },
  );
});

const asRgb = (color: string) =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)).join(', ')})`;
const CARD_COLOUR = "getComputedStyle(document.querySelector('.card')).backgroundColor";

// EMAIL_PICTURES=docs/emails writes the pictures into the documentation.
const folder = process.env['EMAIL_PICTURES'];
const picturesToSave = new Set([
  'verify.en.light.360',
  'reset.en.dark.360',
  'sign_in_linked.en.light.640',
  'email_changed.de.light.640',
  'verify.ar.light.360',
]);

describeInBrowser('an e-mail in Chromium', (browser) => {
  test.each([
    ['light', 360],
    ['light', 640],
    ['dark', 360],
    ['dark', 640],
  ] as const)('fits a screen, %s and %i wide', async (colorScheme, width) => {
    const { page, requests } = await openTab(browser(), {
      colorScheme,
      viewport: { width, height: 480 },
    });
    const templates = createEmailTemplates(host);
    for (const kind of kinds)
      for (const language of ['en', 'de', 'ja', 'ar'] as const) {
        const name = `${kind}.${language}.${colorScheme}.${width}`;
        await page.setContent(templates.render(kind, language, linkOf(kind), values).html);

        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
        expect(await page.evaluate(CARD_COLOUR), name).toBe(
          asRgb(look.colors.surface[colorScheme === 'dark' ? 1 : 0]),
        );
        const buttons = await page.getByRole('link').all();
        expect(buttons, name).toHaveLength(linkOf(kind) === null ? 0 : 2);
        const action = await buttons[0]?.boundingBox();
        if (action) expect(action.height, name).toBeGreaterThanOrEqual(44);
        if (folder === undefined || !(folder.endsWith('all') || picturesToSave.has(name))) continue;
        mkdirSync(folder, { recursive: true });
        await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
      }
    // An e-mail loads nothing, so its sender does not learn that it was opened.
    expect(requests.filter(({ url }) => !url.startsWith('about:'))).toEqual([]);
  });
});

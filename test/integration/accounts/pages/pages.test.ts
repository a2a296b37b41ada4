import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { texts } from '../../../../src/texts/texts.ts';
import { findViolations } from '../../../support/people/accessibility.ts';
import { describeInBrowser, openTab } from '../../../support/people/browser.ts';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
  signUp,
} from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { paths } from './small-pages.ts';

const { world, gateway } = await useGateway(ownAddresses);
const { url } = gateway;

/** Registers an account and returns the link from its e-mail, at this gateway. */
async function linkOf(email: string): Promise<string> {
  await createPerson(url).register({ email });
  const { text } = await world.mailbox.next(email);
  const [link = ''] = /http\S+#token=\S+/.exec(text) ?? [];
  return link.replace(/^http:\/\/[^/]+/, url);
}
const isVerified = async (email: string) =>
  (await world.query('SELECT FROM account WHERE email = $1', [email])).length === 1;
const signIn = (email: string) =>
  createPerson(url).ask({ path: '/api/auth/login', body: { email, password: goodPassword } });

describeInBrowser('in Chromium', (browser) => {
  const status = (page: Page) => page.getByRole('status');
  const button = (page: Page) => page.getByRole('button');
  const focused = (page: Page) => page.locator(':focus');

  test('a link verifies only after a click (rel:B4-14)', async () => {
    const email = newEmail();
    const { page } = await openTab(browser());
    await page.goto(await linkOf(email));

    await expect.poll(() => button(page).isVisible()).toBe(true);
    expect(await isVerified(email)).toBe(false);
    await page.getByRole('button', { name: 'Confirm e-mail address' }).click();

    await expect.poll(() => status(page).textContent()).toBe(texts.en.pages.verify.done);
    expect(await isVerified(email)).toBe(true);
    expect((await signIn(email)).status).toBe(200);
    expect(await page.getByRole('link').getAttribute('href')).toBe('/');
  });

  test('the secret of a link is in no requested URL and is removed from the address bar', async () => {
    const tab = await openTab(browser());
    const link = await linkOf(newEmail());
    const token = link.split('#token=')[1]!;
    await tab.page.goto(link);
    await expect.poll(() => tab.page.url()).toBe(`${url}/verify`);

    await button(tab.page).click();
    await expect.poll(() => status(tab.page).textContent()).toBe(texts.en.pages.verify.done);
    await tab.page.getByRole('link').click();
    await tab.page.waitForURL(`${url}/`);

    expect(tab.requests.length).toBeGreaterThanOrEqual(4);
    expect(JSON.stringify(tab.requests)).not.toContain(token);
    expect(tab.requests.filter(({ headers }) => headers['referer'])).toEqual([]);
    expect(tab.errors).toEqual([]);
  });

  test('another site cannot frame a page (rel:B6-7)', async () => {
    const outside = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${url}/verify#token=x"></iframe>`);
    });
    await new Promise<void>((resolve) => void outside.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void outside.close());
    const { port } = outside.address() as { port: number };
    const { page } = await openTab(browser());

    await page.goto(`http://localhost:${port}/`);

    const frame = () => page.frames().find((one) => one !== page.mainFrame());
    await expect.poll(() => frame()?.url()).toMatch(/^chrome-error:/);
  });

  test('a page can be used with the keyboard alone', async () => {
    const email = newEmail();
    const { page } = await openTab(browser());
    await page.goto(await linkOf(email));
    await expect.poll(() => button(page).isVisible()).toBe(true);

    await page.keyboard.press('Tab');
    expect(await focused(page).textContent()).toBe(texts.en.pages.verify.action);
    await page.keyboard.press('Enter');

    await expect.poll(() => isVerified(email)).toBe(true);
    await expect.poll(() => focused(page).getAttribute('href')).toBe('/');
  });

  test('the new password field has a label, a minimum length and a way to show it', async () => {
    const { page } = await openTab(browser());
    await page.goto(`${url}/reset#token=x`);
    const field = page.getByLabel(texts.en.pages.reset.password, { exact: true });

    await expect.poll(() => focused(page).getAttribute('name')).toBe('password');
    expect(await field.getAttribute('autocomplete')).toBe('new-password');
    await page.keyboard.type('short');
    await page.keyboard.press('Enter');
    expect(await field.evaluate((input) => input.matches(':invalid'))).toBe(true);
    expect(await status(page).textContent()).toBe('');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await field.getAttribute('type')).toBe('text');
    await page.keyboard.press('Space');
    expect(await field.getAttribute('type')).toBe('password');
  });

  test('a reset e-mail leads to a new password', async () => {
    const ada = await signUp(world, { url });
    const captcha_token = await ada.person.captcha();
    const body = { email: ada.email, captcha_token };
    await ada.person.ask({ path: '/api/auth/password/reset', body });
    const { text } = await world.mailbox.next(ada.email);
    const [, token] = /\/reset#token=(\S+)/.exec(text) ?? [];
    const { page, errors } = await openTab(browser());
    await page.goto(`${url}/reset#token=${token}`);
    await expect.poll(() => focused(page).getAttribute('name')).toBe('password');

    await page.keyboard.type('password12345');
    await page.keyboard.press('Enter');
    await expect.poll(() => status(page).textContent()).toBe(texts.en.pages.errors.weak_password);
    expect(await focused(page).getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('quartz meadow tunnel 19');
    await page.keyboard.press('Enter');

    await expect.poll(() => status(page).textContent()).toBe(texts.en.pages.reset.done);
    const password = 'quartz meadow tunnel 19';
    const login = { path: '/api/auth/login', body: { email: ada.email, password } };
    expect((await ada.person.ask(login)).status).toBe(200);
    expect(errors).toEqual([]);
  });

  test("a refusal is shown in the page's language", async () => {
    const { page } = await openTab(browser(), { locale: 'de-CH' });
    await page.goto(`${url}/verify#token=${'A'.repeat(43)}`);

    await button(page).click();

    await expect.poll(() => status(page).textContent()).toBe(texts.de.pages.errors.token_invalid);
    expect(await button(page).isVisible()).toBe(false);
  });

  test("a refusal without a translation shows the service's message, marked as English", async () => {
    const { page } = await openTab(browser(), { locale: 'ar' });
    const token = 'A'.repeat(300);
    const refused = await createPerson(url).ask<{ errors: { message: string }[] }>({
      path: '/api/auth/verify-email',
      body: { token },
    });
    await page.goto(`${url}/verify#token=${token}`);

    await button(page).click();

    expect(refused.status).toBe(400);
    await expect.poll(() => status(page).textContent()).toBe(refused.body.errors[0]!.message);
    expect(await status(page).getAttribute('lang')).toBe('en');
    expect(await status(page).getAttribute('dir')).toBe('ltr');
  });

  test('after a network failure the request can be retried', async () => {
    const email = newEmail();
    const { page, context } = await openTab(browser(), { locale: 'fr-FR' });
    await page.goto(await linkOf(email));
    await context.setOffline(true);
    await button(page).click();
    await expect.poll(() => status(page).textContent()).toBe(texts.fr.pages.frame.unanswered);
    await context.setOffline(false);

    await button(page).click();

    await expect.poll(() => status(page).textContent()).toBe(texts.fr.pages.verify.done);
    expect(await isVerified(email)).toBe(true);
  });

  test('a link without its secret is reported as incomplete, and a complete one in the same tab works', async () => {
    const email = newEmail();
    const { page } = await openTab(browser());
    await page.goto(`${url}/verify`);
    await expect.poll(() => status(page).textContent()).toBe(texts.en.pages.frame.incomplete);
    expect(await button(page).isVisible()).toBe(false);

    await page.goto(await linkOf(email));
    await button(page).click();

    await expect.poll(() => isVerified(email)).toBe(true);
  });

  test('without scripts a page says that it needs them and shows no form', async () => {
    const { page } = await openTab(browser(), { javaScriptEnabled: false, locale: 'nl' });
    await page.goto(`${url}/reset#token=x`);

    const notice = page.locator('noscript p');
    expect(await notice.textContent()).toBe(texts.nl.pages.frame.script);
    expect(await notice.isVisible()).toBe(true);
    expect(await page.locator('form').isVisible()).toBe(false);
  });

  test('a refused sign-in shows a fixed text, regardless of the URL', async () => {
    const { page, errors } = await openTab(browser(), { locale: 'it' });
    const translated = texts.it.pages.sign_in_refused;
    for (const [reason, text] of [
      ['denied', translated.denied],
      ['sso_required', translated.sso_required],
      ['constructor', translated.failed],
      ['__proto__', translated.failed],
      ['<img src=x onerror=alert(1)>', translated.failed],
      ['', translated.failed],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(`${url}/sign-in/refused#reason=${encodeURIComponent(reason)}`);

      await expect.poll(() => status(page).textContent(), { message: reason }).toBe(text);
    }
    expect(errors).toEqual([]);
  });

  test('Arabic is laid out from right to left', async () => {
    const { page } = await openTab(browser(), { locale: 'ar-EG' });
    await page.goto(`${url}/reset#token=x`);
    const side = async (name: string) => (await page.locator(name).boundingBox())!;
    await expect.poll(() => button(page).isVisible()).toBe(true);

    const [card, action] = [await side('main'), await side('button')];

    expect(await page.evaluate('getComputedStyle(document.body).direction')).toBe('rtl');
    expect(action.x + action.width).toBeGreaterThan(card.x + card.width - 50);
  });

  test.each(Object.keys(paths))(
    '%s is accessible in light and dark, left-to-right and right-to-left',
    async (path) => {
      for (const [colorScheme, locale] of [
        ['light', 'en'],
        ['dark', 'ar'],
      ] as const) {
        const { page } = await openTab(browser(), { colorScheme, locale });
        await page.goto(`${url}${path}#token=x&methods=totp,passkey`);

        expect(await findViolations(page)).toEqual([]);
      }
    },
  );

  test.each(['de', 'ja', 'ar'])('no page is wider than a phone in %s', async (locale) => {
    const viewport = { width: 320, height: 640 };
    const { page } = await openTab(browser(), { viewport, locale });
    for (const path of Object.keys(paths)) {
      await page.goto(`${url}${path}#token=x&reason=expired&methods=totp,passkey`);

      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(320);
    }
  });
});

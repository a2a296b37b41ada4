import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '../../support/people/accessibility.ts';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { startCaptchaProvider } from '../../support/people/captcha-provider.ts';
import { useWidget, widgetIn } from '../../support/people/captcha-widget.ts';
import { goodPassword, newEmail, ownAddresses } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import type { Gateway } from '../../support/worlds/world.ts';

const provider = await closeAfterTests(startCaptchaProvider());
const { world, gateway } = await useGateway(ownAddresses, { env: provider.env('turnstile') });
beforeEach(() => {
  provider.fault = 'well';
  provider.issuedFields = { hostname: 'localhost' };
  provider.requests.length = 0;
});

/** Opens a page of a gateway whose widget comes from the stand-in. */
async function open(
  browser: Browser,
  path: string,
  { at = gateway, ...options }: BrowserContextOptions & { at?: Gateway } = {},
) {
  const tab = await openTab(browser, options);
  const network = await useWidget(tab.context, provider);
  await tab.page.goto(`${at.config.PUBLIC_URL}${path}`);
  return { ...tab, network };
}

async function fillSignUp(page: Page, email = newEmail()): Promise<string> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('textbox', { name: /^Password/ }).fill(goodPassword);
  return email;
}

const submit = (page: Page) => page.getByRole('button', { name: 'Create account' }).click();
const solve = (page: Page) => widgetIn(page).getByRole('button', { name: 'I am human' }).click();
const solved = (page: Page) => widgetIn(page).getByText('Solved').waitFor();
const isSent = (page: Page) => page.getByRole('heading', { name: 'Check your mail' }).waitFor();

describeInBrowser('the widget of a hosted CAPTCHA', (browser) => {
  describe.each(['turnstile', 'hcaptcha', 'recaptcha'])('of %s', (name) => {
    test('a person signs up and asks for the link again, each with a token of their own', async () => {
      const at = await world.gateway({ env: provider.env(name) });
      const { page, errors } = await open(browser(), '/sign-up', { at });

      await widgetIn(page).getByText(`site of ${name}, light, en`).waitFor();
      const email = await fillSignUp(page);
      await submit(page);
      await page.getByText('Complete the security check first.').waitFor();
      const violations = await findViolations(page, 'iframe');
      await solve(page);
      await solved(page);
      await submit(page);
      await isSent(page);
      await solve(page);
      await solved(page);
      await page.getByRole('button', { name: 'Send the link again' }).click();
      await page.getByText('a new link is on its way').waitFor();

      expect(await world.mailbox.next(email)).toBeDefined();
      expect(provider.requests.map(({ response }) => response)).toHaveLength(2);
      expect(new Set(provider.requests.map(({ response }) => response)).size).toBe(2);
      expect(violations).toEqual([]);
      expect(errors).toEqual([]);
    });
  });

  test('a refused token is reported at the widget, which asks for another one', async () => {
    provider.issuedFields = { hostname: 'other.example' };
    const { page } = await open(browser(), '/sign-up');
    const email = await fillSignUp(page);
    await solve(page);
    await solved(page);
    await submit(page);
    await page.getByText('Solve a new CAPTCHA.').waitFor();
    await widgetIn(page).getByText('site of turnstile').waitFor();
    const kept = await page.getByLabel('E-mail address').inputValue();

    provider.issuedFields = { hostname: 'localhost' };
    await solve(page);
    await solved(page);
    await expect.poll(() => page.getByText('Solve a new CAPTCHA.').count()).toBe(0);
    await submit(page);
    await isSent(page);

    expect(kept).toBe(email);
  });

  test('a token stays valid if the provider cannot be reached for a while', async () => {
    const { page } = await open(browser(), '/sign-up');
    await fillSignUp(page);
    await solve(page);
    await solved(page);
    provider.fault = 'down';
    await submit(page);
    await page.getByRole('alert').filter({ hasText: 'cannot be verified right now' }).waitFor();

    provider.fault = 'well';
    await submit(page);
    await isSent(page);
  });

  test('an expired check, a failed one and a blocked script are explained, and can be repeated', async () => {
    const { page, network } = await open(browser(), '/forgot');
    const send = () => page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByLabel('E-mail address').fill(newEmail());

    await solve(page);
    await widgetIn(page).getByRole('button', { name: 'Expire' }).click();
    await page.getByText('The security check has expired.').waitFor();
    await send();
    await page.getByText('Complete the security check first.').waitFor();
    await widgetIn(page).getByRole('button', { name: 'Fail' }).click();
    await page.getByRole('button', { name: 'Try again' }).click();
    await solve(page);
    await solved(page);
    await send();
    await page.getByText('If the address has an account').waitFor();

    network.isBlocked = true;
    await page.reload();
    await page.getByText('The security check could not be loaded.').waitFor();
    network.isBlocked = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await solve(page);
    await solved(page);
  });

  test('the widget has the page’s colors', async () => {
    const { page } = await open(browser(), '/sign-up', { colorScheme: 'dark' });

    await widgetIn(page).getByText('site of turnstile, dark, en').waitFor();
  });

  test('the built-in CAPTCHA loads nothing from elsewhere', async () => {
    const { page, requests, errors } = await open(browser(), '/sign-up', {
      at: await world.gateway(),
    });
    await fillSignUp(page);
    await submit(page);
    await isSent(page);

    const origins = new Set(
      requests
        .map(({ url }) => new URL(url))
        .filter(({ protocol }) => protocol !== 'blob:')
        .map(({ origin }) => origin),
    );
    expect(origins.size).toBe(1);
    expect(errors).toEqual([]);
  });

  test('the strength of a password is judged as the service judges it, and loaded only then', async () => {
    const { page, requests, errors } = await open(browser(), '/sign-up', {
      at: await world.gateway(),
    });
    const field = page.getByRole('textbox', { name: /^Password/ });
    const verdict = page.getByRole('status');
    await page.getByLabel('E-mail address').fill('ada.lovelace@example.com');
    const before = requests.length;

    const verdicts: string[] = [];
    for (const [password, expected] of [
      ['short', 'Too short'],
      ['password1234', 'Easy to guess'],
      ['adalovelace2026', 'Easy to guess'],
      ['tulip-orbit-canal-7', 'Strong'],
    ] as const) {
      await field.fill(password);
      await verdict.filter({ hasText: expected }).waitFor();
      verdicts.push((await verdict.textContent())!);
    }
    await field.fill('adalovelace2026');
    await submit(page);
    await page.getByText('This password is easy to guess.').waitFor();

    expect(verdicts).toEqual(['Too short', 'Easy to guess', 'Easy to guess', 'Strong']);
    expect(requests.length).toBeGreaterThan(before);
    expect(errors).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectStateAccessible, openAs } from '../../support/people/dashboard.ts';
import { codeOf, forgetSteps, signUpGuarded } from '../../support/people/factors.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { goodPassword, signInAs, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useProxiedGateway } from '../../support/worlds/use-proxied-gateway.ts';

const { world, gateway, proxy: postgres } = await useProxiedGateway('DATABASE_URL');
const ada = await signUp(world, gateway);

/** Makes the database available again. */
async function restore(): Promise<void> {
  postgres.pass();
  await expect.poll(async () => (await fetch(`${gateway.url}/health`)).status).toBe(200);
}

const alert = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const nameField = (page: Page) => page.getByLabel('Name');
const createButton = (page: Page) => page.getByRole('button', { name: 'Create key', exact: true });
const secret = (page: Page) => page.getByRole('dialog').getByLabel('Secret of the key');

async function keysNamed(name: string): Promise<number> {
  const { body } = await ada.person.ask<{ data: { name: string }[] }>({
    path: '/api/keys?limit=200',
    headers: ada.bearer,
  });
  return body.data.filter((key) => key.name === name).length;
}

const signOut = ({ person, bearer }: SignedUp) =>
  person.ask({ method: 'POST', path: '/api/auth/logout', headers: bearer });

describeInBrowser('the states of the dashboard', (browser) => {
  test('a page that cannot load says why, offers to try again, and recovers', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    postgres.down();
    await page.goto('/app/connections');
    await heading(page, 'This page could not be shown').waitFor();
    await alert(page, 'service_unavailable').waitFor();
    await expectStateAccessible(page);
    await restore();
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Connections').waitFor();

    postgres.down();
    await page.getByRole('link', { name: 'API keys' }).click();
    await heading(page, 'API keys').waitFor();
    await alert(page, 'service_unavailable').waitFor();
    await expectStateAccessible(page);
    await restore();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No keys yet.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test('a save that was answered with 503 keeps the form, and can be repeated', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app/keys/new');
    await nameField(page).fill('Kept after a 503');
    await page.getByRole('checkbox', { name: 'Prompts' }).first().uncheck();
    postgres.down();
    await createButton(page).click();
    await alert(page, 'service_unavailable').first().waitFor();
    expect(await nameField(page).inputValue()).toBe('Kept after a 503');
    expect(await page.getByRole('checkbox', { name: 'Prompts' }).first().isChecked()).toBe(false);
    await expectStateAccessible(page);
    await restore();
    await createButton(page).click();
    await secret(page).waitFor();
    expect(await keysNamed('Kept after a 503')).toBe(1);
    expect(errors).toEqual([]);
  });

  test('a save whose answer was lost creates one key, whose secret the repeated save shows', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/keys/new');
    await nameField(page).fill('Answer lost');
    await page.route(
      '**/api/keys',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await createButton(page).click();
    await alert(page, 'The service did not answer.').waitFor();
    await createButton(page).click();
    expect(await secret(page).inputValue()).not.toBe('');
    expect(await keysNamed('Answer lost')).toBe(1);
  });

  test('offline is announced; what was typed stays, and what is opened waits for the connection', async () => {
    const { page, context, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app/keys/new');
    await nameField(page).fill('Typed offline');
    await page
      .getByRole('region', { name: /^What this key/ })
      .getByText('prompts')
      .first()
      .waitFor();
    await context.setOffline(true);
    const banner = alert(page, 'No connection to the service.');
    await banner.waitFor();
    await createButton(page).click();
    await alert(page, 'The service did not answer.').waitFor();
    // The field of patterns has a file of its own, which was not read yet.
    await page.locator('summary').filter({ hasText: 'What it may use' }).click();
    await page.getByRole('radiogroup', { name: 'Resources' }).getByLabel('Only these').check();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    await expectStateAccessible(page);
    expect(await nameField(page).inputValue()).toBe('Typed offline');

    await context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Path patterns' }).fill('docs/**');
    await page.keyboard.press('Enter');
    await createButton(page).click();
    await secret(page).waitFor();

    await page.goto('/app');
    await heading(page, 'Overview').waitFor();
    await context.setOffline(true);
    await banner.waitFor();
    await page.getByRole('link', { name: 'Usage' }).first().click();
    await heading(page, 'Loading').waitFor();
    await expectStateAccessible(page);
    await context.setOffline(false);
    await heading(page, 'Usage').waitFor();
    expect(errors).toEqual([]);
  });

  test('a slow page shows after a second that it is loading', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app');
    await heading(page, 'Overview').waitFor();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/\/assets\/connections-page|\/api\/me\/connections/, async (route) => {
      await answered;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Connections' }).click();
    await heading(page, 'Loading').waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await expectStateAccessible(page);
    answer();
    await heading(page, 'Connections').waitFor();
    await page.getByText('No connections yet.').waitFor();
    expect(errors).toEqual([]);
  });

  test('a form stays as it is when reading its page again fails', async () => {
    const { page, requests, errors } = await openAs(browser(), gateway, ada);
    const { id } = await createOrganization(ada);
    const role = await ada.person.ask<{ id: string }>({
      path: `/api/organizations/${id}/roles`,
      body: { name: 'Auditors' },
      headers: ada.bearer,
    });
    const path = `/organizations/${id}/roles/${role.body.id}`;
    await page.goto(`/app/org/${id}/roles/${role.body.id}`);
    const name = page.getByRole('textbox', { name: /^Name/ });
    await name.fill('Typed meanwhile');
    const reads = () => requests.filter(({ url }) => url.endsWith(path)).length;
    const before = reads();
    postgres.down();
    // A page that comes to the front reads again what is older than some seconds.
    await expect
      .poll(async () => {
        await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
        return reads();
      })
      .toBeGreaterThan(before + 3);
    await restore();
    expect(await name.inputValue()).toBe('Typed meanwhile');
    expect(errors).toEqual([]);
  });

  test.each(['en', 'ar'])(
    'a session that ends in a form asks to sign in again, and gives the form back: %s',
    async (language) => {
      const { keys, frame, accounts } = textsOf(language);
      const own = await signInAs(ada);
      const { page, errors } = await openAs(browser(), gateway, own, { locale: language });
      await page.goto('/app/keys/new');
      const name = page.getByLabel(frame.form.name);
      await name.fill(`Typed in ${language}`);
      const counts = page.locator('[aria-live=polite]').first();
      if (language === 'ar') {
        expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
        expect(await counts.textContent()).toMatch(/^[^,]+ و[^,]+$/);
      }
      await signOut(own);
      const create = page.getByRole('button', { name: keys.new_key.action, exact: true });
      await create.click();
      const dialog = page.getByRole('dialog', { name: frame.errors.session_ended });
      await dialog.waitFor();
      await expectStateAccessible(page);

      await dialog.getByRole('button', { name: frame.reauthentication.continue }).click();
      await dialog.getByRole('alert').filter({ hasText: frame.errors.not_signed_in }).waitFor();
      const password = dialog.getByRole('textbox', { name: frame.form.password });
      const signIn = dialog.getByRole('button', { name: accounts.sign_in.action });
      await password.fill('not the password');
      await signIn.click();
      await dialog.getByRole('alert').filter({ hasNotText: frame.errors.not_signed_in }).waitFor();
      await expectStateAccessible(page);
      await password.fill(goodPassword);
      await signIn.click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await name.inputValue()).toBe(`Typed in ${language}`);
      await create.click();
      await page.getByRole('dialog', { name: keys.new_key.secret_title }).waitFor();
      expect(errors).toEqual([]);
    },
  );

  test('a person with a second factor signs in, and again in another tab, with the form kept', async () => {
    const grace = await signUpGuarded(world, gateway, 'grace');
    const { page, context } = await openAs(browser(), gateway, { cookies: new Map() });
    const enterCode = async (at: Page) => {
      await forgetSteps(world, grace.account_id);
      await at.getByRole('textbox').fill(codeOf(grace.secret));
      await at.keyboard.press('Enter');
    };
    await page.goto('/sign-in?to=%2Fapp%2Fkeys%2Fnew');
    await page.getByLabel('E-mail address').fill(grace.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(goodPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/sign-in/second-factor');
    await enterCode(page);
    await page.waitForURL('**/app/keys/new');
    await nameField(page).fill('Typed by Grace');

    await context.clearCookies();
    await createButton(page).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(goodPassword);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.getByText('Your password is right.').waitFor();
    await expectStateAccessible(page);
    const [other] = await Promise.all([
      context.waitForEvent('page'),
      dialog.getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    await enterCode(other);
    await other.waitForURL('**/app');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await nameField(page).inputValue()).toBe('Typed by Grace');
    await createButton(page).click();
    await secret(page).waitFor();
  });
});

interface Texts {
  frame: {
    form: Record<'name' | 'password', string>;
    errors: Record<'session_ended' | 'not_signed_in', string>;
    reauthentication: { continue: string };
  };
  keys: { new_key: Record<'action' | 'secret_title', string> };
  accounts: { sign_in: { action: string } };
}

function textsOf(language: string): Texts {
  const read = (area: string) =>
    JSON.parse(
      readFileSync(
        new URL(`../../../src/dashboard/texts/${language}/${area}.json`, import.meta.url),
        'utf8',
      ),
    );
  return { frame: read('frame'), keys: read('keys'), accounts: read('accounts') };
}

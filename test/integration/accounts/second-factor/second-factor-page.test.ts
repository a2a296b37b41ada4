import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readReturnPath } from '../../../../src/accounts/providers/return-path.ts';
import { texts } from '../../../../src/texts/texts.ts';
import { addAuthenticator, makePasskey } from '../../../support/people/browser-passkeys.ts';
import { describeInBrowser, openTab } from '../../../support/people/browser.ts';
import type { Tab } from '../../../support/people/browser.ts';
import { addTotp, codeOf } from '../../../support/people/factors.ts';
import { signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createThirdParty, someone } from '../../../support/people/third-party.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());
const url = party.gateway.config.PUBLIC_URL;

/** Creates an account that can sign in with a password and through the provider. */
async function signUpLinked(): Promise<SignedUp> {
  const ada = await signUp(party.world, party.gateway);
  await party.signInAs(someone({ email: ada.email }));
  return ada;
}

async function addOwnPasskey(tab: Tab, { access_token, password, account_id }: SignedUp) {
  const authenticator = await addAuthenticator(tab);
  await tab.page.goto(`${url}/verify`);
  const made = await tab.page.evaluate(makePasskey(access_token, password));
  expect(made).toMatchObject({ status: 201 });
  await party.world.query('DELETE FROM account_recovery_code WHERE account_id = $1', [account_id]);
  return authenticator;
}

/** Signs in through the provider up to the second-factor page, whose URL then has no token. */
async function reachPage({ page }: Tab, return_path = '/'): Promise<void> {
  const query = `return_path=${encodeURIComponent(return_path)}`;
  await page.goto(`${url}/api/auth/oauth/oidc?${query}`);
  await expect.poll(() => page.url()).toBe(`${url}/sign-in/second-factor`);
}
const { second_factor } = texts.en.pages;
const passkeyButton = (page: Page) => page.getByRole('button', { name: second_factor.passkey });
const field = (page: Page) => page.getByLabel(second_factor.code, { exact: true });
const status = (page: Page) => page.getByRole('status').textContent();
const amrOf = async ({ account_id }: SignedUp) => {
  const rows = await party.world.query<{ amr: string[] }>(
    'SELECT amr FROM account_session WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1',
    [account_id],
  );
  return rows[0]!.amr;
};

describeInBrowser('the page of the second factor', (browser) => {
  test('accepts a passkey if the account has only that, and continues to the return path', async () => {
    const ada = await signUpLinked();
    const tab = await openTab(browser());
    const authenticator = await addOwnPasskey(tab, ada);
    await reachPage(tab, '/keys/new?name=a%26b');
    await expect.poll(() => passkeyButton(tab.page).isVisible()).toBe(true);
    expect(await field(tab.page).isVisible()).toBe(false);

    await authenticator.verify(false);
    await passkeyButton(tab.page).click();
    await expect.poll(() => status(tab.page)).toBe(second_factor.passkey_failed);
    await authenticator.verify(true);
    await passkeyButton(tab.page).click();

    await expect.poll(() => tab.page.url()).toBe(`${url}/keys/new?name=a%26b`);
    expect(await amrOf(ada)).toEqual(['fed', 'hwk', 'user']);
    expect(tab.errors).toEqual([]);
  });

  test('offers both factors if the account has both, and the code still works', async () => {
    const ada = await signUpLinked();
    const tab = await openTab(browser());
    await addOwnPasskey(tab, ada);
    const { secret } = await addTotp(party.world, ada);
    await reachPage(tab, '/keys');
    await expect.poll(() => field(tab.page).isVisible()).toBe(true);
    expect(await passkeyButton(tab.page).isVisible()).toBe(true);

    await field(tab.page).fill(codeOf(secret));
    await tab.page.keyboard.press('Enter');

    await expect.poll(() => tab.page.url()).toBe(`${url}/keys`);
    expect(await amrOf(ada)).toEqual(['fed', 'otp']);
  });

  test('continues to a dashboard with its own origin', async () => {
    const dashboard = 'http://localhost:5173';
    const apart = await party.world.gateway({ env: { DASHBOARD_URL: dashboard } });
    const here = apart.config.PUBLIC_URL;
    const ada = await signUpLinked();
    const { secret } = await addTotp(party.world, ada);
    const { page } = await openTab(browser());
    await page.route(`${dashboard}/**`, (route) => route.fulfill({ body: 'The dashboard.' }));
    await page.goto(`${here}/api/auth/oauth/oidc?return_path=%2Fkeys`);
    await expect.poll(() => page.url()).toBe(`${here}/sign-in/second-factor`);

    await field(page).fill(codeOf(secret));
    await page.keyboard.press('Enter');

    await expect.poll(() => page.url()).toBe(`${dashboard}/keys`);
  });

  test('offers no passkey to an account without one', async () => {
    const ada = await signUpLinked();
    await addTotp(party.world, ada);
    const tab = await openTab(browser());

    await reachPage(tab);

    await expect.poll(() => field(tab.page).isVisible()).toBe(true);
    expect(await passkeyButton(tab.page).isVisible()).toBe(false);
  });

  test('validates a return path like the service: no path leads to another site', async () => {
    const { page } = await openTab(browser());
    const paths = [
      ...['/', '/keys?name=a%20b&x=1#new', '/a/../b', '/ä', '/?to=https://evil.example', ''],
      ...['//evil.example', '/\\evil.example', '\\\\evil.example', '/.//evil.example'],
      ...['/a/..//evil.example', 'https://evil.example', 'javascript:alert(1)', 'keys'],
      ...['/\t/evil.example', '/\n/evil.example', '/\u202E', '/\u2028', ' //evil.example'],
      ...['@evil.example', '/%2F/evil.example', '/%5Cevil.example', '/@evil.example'],
    ];
    for (const path of paths) {
      const fragment = `token=x&return_path=${encodeURIComponent(path)}`;
      await page.goto('about:blank');
      await page.goto(`${url}/sign-in/second-factor#${fragment}`);
      await expect.poll(() => page.url()).toBe(`${url}/sign-in/second-factor`);

      const href = await page.locator('#next a').getAttribute('href');
      expect(href, path).toBe(readReturnPath(path, url));
    }
  });
});

import { expect, test } from 'vitest';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { expectStateAccessible } from '../../support/people/dashboard.ts';
import { signUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { profileOf } from '../../support/people/third-party.ts';
import { createVisitor } from '../../support/people/visitor.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());

test('a page of another site cannot replace the session of a person by one of an account that it chose, through an identity provider of its own (rel:B6-1)', async () => {
  const evil = await sso.organization();
  const ada = await signUp(sso.world, sso.gateway, 'ada');
  // Ada’s browser, which a link or a script of https://evil.example sends to the start.
  const browser = createVisitor(sso.gateway.url, {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    referer: 'https://evil.example/',
  });
  for (const [name, value] of ada.cookies) browser.jar.set(name, { value, path: '/' });
  expect((await profileOf(browser)).body.id).toBe(ada.account_id);

  const start = await browser.go(evil.start);

  const asked = new URL(start.location);
  expect(asked.pathname).toBe('/sign-in');
  expect(asked.searchParams.get('sso')).toBe(evil.connection.id);
  expect((await profileOf(browser)).body.id).toBe(ada.account_id);
});

describeInBrowser('a sign-in that is started from elsewhere', (browser) => {
  test('asks first, and then signs in and returns to the page that was asked for', async () => {
    const acme = await sso.organization();
    const ada = acme.someone();
    sso.provider.person = ada;
    const PORT = String(await freePort());
    const PUBLIC_URL = `http://localhost:${PORT}`;
    await sso.world.gateway({ env: { ...sso.provider.env, PORT, PUBLIC_URL } });
    const { page, errors } = await openTab(browser(), { baseURL: PUBLIC_URL });

    // As from a bookmark: no page leads there.
    await page.goto(`${acme.start}?return_path=%2Fapp%2Fkeys`);
    await page.getByText('asks you to sign in with single sign-on').waitFor();
    await expectStateAccessible(page);
    await page.getByRole('link', { name: 'Continue with single sign-on' }).click();

    await page.waitForURL('**/app/keys');
    expect(errors).toEqual([]);
  });
});

import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { texts } from '../../../../src/texts/texts.ts';
import { createApplication, linkTo } from '../../../support/people/application.ts';
import { addAuthenticator, makePasskey } from '../../../support/people/browser-passkeys.ts';
import { describeInBrowser, openTab } from '../../../support/people/browser.ts';
import type { Tab } from '../../../support/people/browser.ts';
import { addTotp, codeOf, signUpGuarded, wrongCode } from '../../../support/people/factors.ts';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import { goodPassword, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createSsoWorld } from '../../../support/people/sso.ts';
import { someone } from '../../../support/people/third-party.ts';
import { freePort } from '../../../support/servers/free-port.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

/** Another origin than the gateway's; nothing listens there. */
const DASHBOARD = 'http://localhost:5173';
const words = texts.en.oauth;
const thirdParty = words.sign_in_with.replace('{{provider}}', 'Example ID');

const sso = await closeAfterTests(createSsoWorld());
const port = String(await freePort());
const gateway = await sso.world.gateway({
  env: {
    ...sso.provider.env,
    ...{ PORT: port, PUBLIC_URL: `http://localhost:${port}`, DASHBOARD_URL: DASHBOARD },
  },
});
const application = await closeAfterTests(createApplication());
const owner = await signUp(sso.world, gateway, 'owner');
beforeEach(() => {
  sso.provider.deviations = {};
});

const register = () =>
  insertClient(sso.world, {
    owner: { account_id: owner.account_id },
    redirect_uris: [application.redirect_uri],
  });
const amrOf = async (email: string) => {
  const rows = await sso.world.query<{ amr: string[] }>(
    `SELECT amr FROM account_session JOIN account ON account.id = account_id
     WHERE email = $1 ORDER BY account_session.created_at DESC LIMIT 1`,
    [email],
  );
  return rows[0]?.amr;
};

test('a gateway whose host is not below the dashboard’s offers no passkey, which could not work', async () => {
  const apart = await sso.world.gateway({
    env: { PUBLIC_URL: 'https://api.example.com', DASHBOARD_URL: 'https://app.example.com' },
  });
  for (const [{ url, config }, offers] of [
    [gateway, true],
    [apart, false],
  ] as const) {
    const peer = createOAuthPeer({ url, config });
    const { uid, cookie } = await peer.start(await register());
    const { body } = await peer.browse(`/oauth/consent/${uid}`, cookie);
    expect([body.includes(words.sign_in_title), body.includes('id="passkey"')]).toEqual([
      ...[true, offers],
    ]);
  }
});

describeInBrowser('signing in on the consent page', (browser) => {
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();

  /** Opens the page of a new request; returns its address, to which each sign-in must return. */
  async function open(options: BrowserContextOptions = {}, tab?: Tab) {
    const opened = tab ?? (await openTab(browser(), options));
    await opened.page.goto(linkTo(gateway, await register()));
    return { ...opened, address: opened.page.url() };
  }

  async function expectSignedIn({ page, address }: { page: Page; address: string }, email: string) {
    await expect.poll(() => page.getByText(email, { exact: true }).count()).toBe(1);
    expect(page.url()).toBe(address);
  }

  async function enterPassword(page: Page, email: string, password = goodPassword) {
    await field(page, words.email).fill(email);
    await field(page, words.password).fill(password);
    await press(page, words.sign_in);
  }

  async function addPasskey(tab: Tab, { access_token }: SignedUp) {
    const authenticator = await addAuthenticator(tab);
    await tab.page.goto(`${gateway.config.PUBLIC_URL}/verify`);
    const made = await tab.page.evaluate(makePasskey(access_token, goodPassword));
    expect(made).toMatchObject({ status: 201 });
    return authenticator;
  }

  test('without JavaScript a third party leads back to the same request, although the dashboard is elsewhere', async () => {
    const ada = someone();
    sso.provider.person = ada;
    const tab = await open({ javaScriptEnabled: false });

    await tab.page.getByRole('link', { name: thirdParty }).click();

    await expectSignedIn(tab, ada.email);
    expect(tab.errors).toEqual([]);
    await press(tab.page, words.allow);
    await tab.page.waitForURL(`${application.redirect_uri}?**`);
    expect(application.answers.at(-1)).toMatchObject({ state: 's1', code: expect.any(String) });
  });

  test('a sign-in that the third party refused leads back to the request, where another can follow', async () => {
    const tab = await open();
    sso.provider.person = someone();
    sso.provider.deviations = {
      redirect(parameters) {
        parameters.delete('code');
        parameters.set('error', 'access_denied');
      },
    };
    const acme = await sso.organization();
    for (const start of [
      () => tab.page.getByRole('link', { name: thirdParty }).click(),
      async () => {
        await field(tab.page, words.email).fill(`ada@${acme.domain}`);
        await press(tab.page, words.sso);
      },
    ]) {
      await start();
      const { denied } = texts.en.pages.sign_in_refused;
      await expect.poll(() => tab.page.getByRole('status').textContent()).toBe(denied);
      await tab.page.getByRole('link').click();
      await expect.poll(() => tab.page.url()).toBe(tab.address);
    }
  });

  test('a second factor after a third party leads back to the same request too', async () => {
    const ada = await signUp(sso.world, gateway);
    sso.provider.person = someone({ email: ada.email });
    const linked = await open();
    await linked.page.getByRole('link', { name: thirdParty }).click();
    await expectSignedIn(linked, ada.email);
    const { secret } = await addTotp(sso.world, ada);
    const tab = await open();
    await tab.page.getByRole('link', { name: thirdParty }).click();

    await field(tab.page, texts.en.pages.second_factor.code).fill(codeOf(secret));
    await tab.page.keyboard.press('Enter');

    await expectSignedIn(tab, ada.email);
    expect(await amrOf(ada.email)).toEqual(['fed', 'otp']);
  });

  test('without JavaScript single sign-on is found by the address, and leads back to the same request', async () => {
    const acme = await sso.organization();
    const ada = acme.someone();
    sso.provider.person = ada;
    const tab = await open({ javaScriptEnabled: false });
    await field(tab.page, words.email).fill('ada@nowhere.example');
    await press(tab.page, words.sso);
    expect(await tab.page.getByRole('alert').textContent()).toBe(words.no_sso);
    expect(await field(tab.page, words.email).inputValue()).toBe('ada@nowhere.example');

    await field(tab.page, words.email).fill(ada.email);
    await press(tab.page, words.sso);

    await expectSignedIn(tab, ada.email);
    expect(await amrOf(ada.email)).toEqual(['sso']);
    expect(tab.errors).toEqual([]);
  });

  test('where single sign-on is enforced, a refused password says so, whether or not it was right', async () => {
    const acme = await sso.organization();
    const pat = await acme.signUp();
    await sso.joins.add(acme.id, pat);
    await acme.test(acme.owner, acme.someone());
    expect((await acme.enforce(acme.owner)).status).toBe(200);
    const tab = await open({ javaScriptEnabled: false });
    const unknown = `nobody@${acme.domain}`;
    for (const [email, password] of [
      [pat.email, goodPassword],
      [pat.email, 'a wrong password'],
      [unknown, goodPassword],
    ] as const) {
      await enterPassword(tab.page, email, password);
      expect(await tab.page.getByRole('alert').textContent()).toBe(words.sso_required);
    }
    sso.provider.person = acme.someone({ email: pat.email });

    await field(tab.page, words.email).fill(pat.email);
    await press(tab.page, words.sso);

    await expectSignedIn(tab, pat.email);
  });

  test('a passkey signs in where scripts run; without, its button is hidden', async () => {
    const ada = await signUp(sso.world, gateway);
    const { page } = await open({ javaScriptEnabled: false });
    expect(await page.getByRole('button', { name: words.passkey }).count()).toBe(0);
    const own = await openTab(browser());
    const authenticator = await addPasskey(own, ada);
    const tab = await open({}, own);
    await authenticator.verify(false);
    await press(tab.page, words.passkey);
    await expect.poll(() => tab.page.getByRole('alert').textContent()).toBe(words.passkey_failed);
    await authenticator.verify(true);

    await press(tab.page, words.passkey);

    await expectSignedIn(tab, ada.email);
    expect(await amrOf(ada.email)).toEqual(['hwk', 'user']);
    expect(tab.errors).toEqual([]);
  });

  test('the second step takes a code without JavaScript, and a passkey where scripts run', async () => {
    const ada = await signUpGuarded(sso.world, gateway);
    const plain = await open({ javaScriptEnabled: false });
    await enterPassword(plain.page, ada.email);
    await field(plain.page, words.code).fill(wrongCode(ada.secret));
    await press(plain.page, words.sign_in);
    expect(await plain.page.getByRole('alert').textContent()).toBe(words.wrong_code);
    expect(await plain.page.locator('#passkey').count()).toBe(0);
    await field(plain.page, words.code).fill(codeOf(ada.secret));
    await press(plain.page, words.sign_in);
    await expectSignedIn(plain, ada.email);

    const own = await openTab(browser());
    await addPasskey(own, ada);
    const tab = await open({}, own);
    await enterPassword(tab.page, ada.email);
    await field(tab.page, words.code).fill(wrongCode(ada.secret));
    await press(tab.page, words.sign_in);
    await press(tab.page, words.passkey);
    await expectSignedIn(tab, ada.email);
    expect(await amrOf(ada.email)).toEqual(['pwd', 'hwk', 'user']);
  });
});

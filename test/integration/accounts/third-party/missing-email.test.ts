import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { texts } from '../../../../src/texts/texts.ts';
import { describeInBrowser, openTab } from '../../../support/people/browser.ts';
import { newEmail, tokenOf } from '../../../support/people/people.ts';
import {
  cookieOf,
  createThirdParty,
  profileOf,
  someone,
} from '../../../support/people/third-party.ts';
import type { Profile } from '../../../support/people/third-party.ts';
import type { Visitor } from '../../../support/people/visitor.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const DASHBOARD = 'http://localhost:5173';

const party = await closeAfterTests(createThirdParty({}, { DASHBOARD_URL: DASHBOARD }));
const url = party.gateway.config.PUBLIC_URL;

const withUnverifiedEmail = () => someone({ email_verified: false });
const emailPage = (path: string) => `${url}/sign-in/email#return_path=${encodeURIComponent(path)}`;
const askFor = (visitor: Visitor, email: string) =>
  visitor.person.ask({ path: '/api/user/email', body: { email }, headers: cookieOf(visitor) });
const sentTo = (email: string) => party.world.mailbox.emails.filter(({ to }) => to === email);

test('a sign-in without a verified address asks for one once, and later ones continue directly', async () => {
  party.provider.person = withUnverifiedEmail();
  const path = '/keys/new?name=a&b=c';
  const query = `?return_path=${encodeURIComponent(path)}`;

  const first = await party.visitor().signIn('oidc', query);
  const second = await party.visitor().signIn('oidc', query);

  expect([first.status, first.location]).toEqual([302, emailPage(path)]);
  expect([second.status, second.location]).toEqual([302, `${DASHBOARD}${path}`]);
});

test('only one of several concurrent sign-ins asks', async () => {
  party.provider.person = withUnverifiedEmail();
  const visitors = Array.from({ length: 8 }, () => party.visitor());
  const callbacks = await Promise.all(visitors.map((visitor) => visitor.signInAtProvider('oidc')));

  const steps = await Promise.all(visitors.map((visitor, n) => visitor.go(callbacks[n]!)));

  const locations = steps.map(({ location }) => location);
  expect(locations.filter((location) => location === emailPage('/'))).toHaveLength(1);
  expect(locations.filter((location) => location === `${DASHBOARD}/`)).toHaveLength(7);
});

test('a sign-in whose address the provider verified does not ask', async () => {
  const { visitor, step } = await party.signInAs(someone());

  expect(step.location).toBe(`${DASHBOARD}/`);
  expect((await profileOf(visitor)).body.email_needed).toBe(false);
});

test('the API reports that an address is needed until there is one, and no e-mail is sent before', async () => {
  const ada = withUnverifiedEmail();
  const { visitor } = await party.signInAs(ada);
  const refreshed = await visitor.person.ask<{ user: Profile }>({
    method: 'POST',
    path: '/api/auth/refresh',
    headers: { cookie: `refresh=${visitor.jar.get('refresh')!.value}` },
  });
  visitor.jar.set('session', { value: refreshed.cookies.get('session')!, path: '/' });
  expect([refreshed.status, refreshed.body.user]).toEqual([
    200,
    expect.objectContaining({ email: null, email_needed: true }),
  ]);
  expect((await profileOf(visitor)).body).toMatchObject({ email: null, email_needed: true });
  const jobs = await party.world.query('SELECT FROM mail_job WHERE address = $1', [ada.email]);
  expect([jobs, sentTo(ada.email)]).toEqual([[], []]);

  const email = newEmail('own');
  expect((await askFor(visitor, email)).status).toBe(202);
  const token = tokenOf(await party.world.mailbox.next(email));
  expect((await profileOf(visitor)).body.email_needed).toBe(true);
  await visitor.person.ask({ path: '/api/user/email/confirm', body: { token } });

  expect((await profileOf(visitor)).body).toMatchObject({ email, email_needed: false });
  expect(sentTo(ada.email)).toEqual([]);
});

describeInBrowser('the page that asks for an address', (browser) => {
  const pageTexts = texts.en.pages.sign_in_email;
  const status = (page: Page) => page.getByRole('status').textContent();
  const next = (page: Page) => page.locator('#next a');

  /** Signs in through the provider until the page, which has read its URL by then. */
  async function reachPage(return_path: string) {
    party.provider.person = withUnverifiedEmail();
    const tab = await openTab(browser());
    const query = `return_path=${encodeURIComponent(return_path)}`;
    await tab.page.goto(`${url}/api/auth/oauth/oidc?${query}`);
    await expect.poll(() => tab.page.url()).toBe(`${url}/sign-in/email`);
    await expect.poll(() => tab.page.getByLabel(pageTexts.email).isVisible()).toBe(true);
    return tab;
  }

  test('can be skipped, and continues to the return path', async () => {
    const { page, errors } = await reachPage('/keys?x=1');

    expect(await next(page).textContent()).toBe(pageTexts.skip);
    expect(await next(page).getAttribute('href')).toBe(`${DASHBOARD}/keys?x=1`);
    expect(errors).toEqual([]);
  });

  test('sends a link to the entered address, which becomes the account’s once confirmed', async () => {
    const { page, errors } = await reachPage('/keys');
    const email = newEmail('typed');

    await page.keyboard.type('ada@example');
    await page.keyboard.press('Enter');
    await expect.poll(() => status(page)).toBe(texts.en.pages.errors.invalid_email);
    await page.getByLabel(pageTexts.email).fill(email);
    await page.keyboard.press('Enter');

    await expect.poll(() => status(page)).toBe(pageTexts.done);
    expect(await next(page).textContent()).toBe(texts.en.pages.frame.home);
    expect(await next(page).getAttribute('href')).toBe(`${DASHBOARD}/keys`);
    const [, link = ''] = /(http\S+#token=\S+)/.exec((await party.world.mailbox.next(email)).text)!;
    await page.goto(link);
    await page.getByRole('button').click();
    await expect.poll(() => status(page)).toBe(texts.en.pages.email_confirm.done);
    const rows = await party.world.query('SELECT FROM account WHERE email = $1', [email]);
    expect(rows).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test('reports in its own language that the sign-in is too old', async () => {
    const { page } = await reachPage('/');
    await party.world.query(`UPDATE account_session SET auth_time = now() - interval '11 minutes'`);

    await page.getByLabel(pageTexts.email).fill(newEmail());
    await page.keyboard.press('Enter');

    const { reauthentication_required } = texts.en.pages.errors;
    await expect.poll(() => status(page)).toBe(reauthentication_required);
    expect(await next(page).isVisible()).toBe(true);
  });
});

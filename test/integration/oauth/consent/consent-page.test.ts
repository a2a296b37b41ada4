import { expect, test } from 'vitest';
import type { BrowserContextOptions } from 'playwright-core';
import { texts } from '../../../../src/texts/texts.ts';
import { createApplication, linkTo, VERIFIER } from '../../../support/people/application.ts';
import { describeInBrowser, openTab } from '../../../support/people/browser.ts';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import type { ClientFields, TestClient } from '../../../support/people/oauth.ts';
import { createOrganization } from '../../../support/people/organizations.ts';
import { goodPassword, ownAddresses, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createTeam } from '../../../support/people/teams.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const peer = createOAuthPeer(gateway);
const ada = await signUp(world, gateway);
const application = await closeAfterTests(createApplication());

const register = (fields: Partial<ClientFields> = {}) =>
  insertClient(world, {
    ...{
      owner: { account_id: ada.account_id },
      redirect_uris: [application.redirect_uri],
      ...fields,
    },
  });
const linkFor = (client: TestClient) => linkTo(gateway, client);
const answer = () => application.answers.at(-1);
const connectionsOf = ({ id }: TestClient) =>
  world.query<{ scopes: string[]; follows_teams: boolean; team_ids: string[] }>(
    `SELECT scopes, follows_teams, ARRAY(SELECT team_id::text FROM oauth_connection_team
       WHERE connection_id = id) AS team_ids FROM oauth_connection WHERE client_id = $1`,
    [id],
  );

/** Sends a form of the page as a browser would. */
async function post(
  started: { uid: string; cookie: string },
  who: SignedUp | null,
  fields: [string, string][],
  headers: Record<string, string> = { origin: gateway.config.PUBLIC_URL },
  shownTo: SignedUp | null = who,
) {
  const session = [...(who?.cookies ?? [])].map(([name, value]) => `${name}=${value}`);
  const response = await fetch(`${gateway.url}/oauth/consent/${started.uid}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: [started.cookie, ...session].join('; '), ...headers },
    body: new URLSearchParams([['account', shownTo?.account_id ?? ''], ...fields]),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

test('only this browser and this site decide, and a decision that is sent twice counts once (rel:B5-25)', async () => {
  const client = await register();
  const started = await peer.start(client);
  const allow: [string, string][] = [
    ['action', 'allow'],
    ['scope', 'mcp_tools'],
  ];
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect((await post(started, ada, allow, headers)).status).toBe(403);
  expect((await post({ ...started, cookie: '' }, ada, allow)).status).toBe(404);
  const none = await post(started, ada, [['action', 'allow']]);
  expect([none.status, none.body.includes(texts.en.oauth.choose)]).toEqual([422, true]);
  const beyond = await post(started, ada, [...allow, ['scope', 'delete:prompts']]);
  expect(beyond.status).toBe(422);
  expect(await connectionsOf(client)).toEqual([]);
  const both = await Promise.all([post(started, ada, allow), post(started, ada, allow)]);
  for (const { status, body } of both)
    expect([status, body.includes(`/oauth/authorize/${started.uid}`)]).toEqual([200, true]);
  for (const other of [[['action', 'deny']], [...allow, ['scope', 'mcp_prompts']]]) {
    const { status, body } = await post(started, ada, other as [string, string][]);
    expect([status, body.includes(texts.en.oauth.ended_body)]).toEqual([409, true]);
  }
  const over = await peer.decide(started, ada, { allow: false });
  expect([over.status, over.body.errors?.[0]?.code]).toEqual([409, 'already_decided']);
  expect(await connectionsOf(client)).toMatchObject([{ scopes: ['mcp_tools'] }]);
});

test('in an organization, teams can be left out; who is not a member, or suspended, can only deny', async () => {
  const organization = await createOrganization(ada);
  const teams = await Promise.all(
    ['red', 'blue'].map((name) => createTeam(ada, organization.id, name)),
  );
  const [red] = teams;
  const owner = { organization_id: organization.id };
  const client = await register({ owner, team_ids: teams.map(({ id }) => id) });
  const started = await peer.start(client);
  const chosen: [string, string][] = [
    ['action', 'allow'],
    ['scope', 'mcp_tools'],
    ['team', red!.id],
  ];
  const eve = await signUp(world, gateway, 'eve');
  const outside = await post(started, eve, chosen);
  expect([outside.status, outside.body.includes(texts.en.oauth.not_a_member)]).toEqual([422, true]);
  await world.query(`UPDATE organization SET status = 'suspended' WHERE id = $1`, [
    organization.id,
  ]);
  expect((await post(started, ada, chosen)).status).toBe(422);
  await world.query(`UPDATE organization SET status = 'active' WHERE id = $1`, [organization.id]);
  expect((await post(started, ada, chosen)).status).toBe(200);
  expect(await connectionsOf(client)).toMatchObject([{ team_ids: [red!.id] }]);

  const denied = await peer.start(client);
  const { body } = await post(denied, eve, [['action', 'deny']]);
  expect(body).toContain(`/oauth/authorize/${denied.uid}`);
  const { params } = await peer.finish(denied, `http://x/oauth/authorize/${denied.uid}`);
  expect(params).toMatchObject({ error: 'access_denied', iss: gateway.config.PUBLIC_URL });
});

test('a page decides only for the person it was shown to, and a team left out is never followed', async () => {
  const bob = await signUp(world, gateway, 'bob');
  const organization = await createOrganization(bob);
  const red = await createTeam(bob, organization.id, 'red');
  await createTeam(bob, organization.id, 'blue');
  const client = await register({ owner: { organization_id: organization.id } });
  const started = await peer.start(client);
  const onlyRed: [string, string][] = [
    ['action', 'allow'],
    ['scope', 'mcp_tools'],
    ['teams', 'all'],
    ['team', red.id],
  ];
  const origin = { origin: gateway.config.PUBLIC_URL };
  const elsewhere = await post(started, bob, onlyRed, origin, ada);
  expect([elsewhere.status, elsewhere.body.replaceAll('<wbr>', '').includes(bob.email)]).toEqual([
    200,
    true,
  ]);
  expect(await connectionsOf(client)).toEqual([]);
  expect((await post(started, bob, onlyRed)).status).toBe(200);
  expect(await connectionsOf(client)).toMatchObject([{ follows_teams: false, team_ids: [red.id] }]);
});

/** Opens the page as a person who is signed in. */
async function open({ uid, cookie }: { uid: string; cookie: string }, who: SignedUp) {
  const session = [...who.cookies].map(([name, value]) => `${name}=${value}`);
  const headers = { cookie: [cookie, ...session].join('; ') };
  const html = await (await fetch(`${gateway.url}/oauth/consent/${uid}`, { headers })).text();
  return html.replaceAll('<wbr>', '');
}

test('the page names who registered a client and since when, who receives the answer, and how long access lasts', async () => {
  const words = texts.en.oauth;
  const eve = await signUp(world, gateway, 'eve');
  const owner = { account_id: eve.account_id };
  const client = await register({ owner, name: 'Notes', redirect_uris: ['http://localhost/cb'] });
  await world.query(`UPDATE oauth_client SET created_at = '2026-01-31T12:00Z' WHERE id = $1`, [
    client.id,
  ]);
  const started = await peer.start(client);
  const shown = await open(started, ada);
  for (const text of ['Notes', eve.email, 'since January 31, 2026', words.this_computer])
    expect(shown).toContain(text);
  expect(shown).toContain(words.lasts);
  expect(shown).toContain(new URL(gateway.config.PUBLIC_URL).host);
  expect(shown).not.toContain('caution">');
  const own = await open(started, eve);
  expect(own).toContain(`<bdi>${words.you}</bdi>`);

  const fields = { owner, name: 'Claudе Code', redirect_uris: ['https://evil.example/cb'] };
  const alike = await peer.start(await register(fields));
  const warning = await open(alike, ada);
  expect(warning).toContain('The name looks like Claude Code, but');
  // To deny comes first and stands out.
  expect(warning).toMatch(/value="deny">[^]*value="allow" class="other"/);
  // The decisions about others look alike.
  expect(shown).toMatch(/value="allow" class="other">[^]*value="deny" class="other">/);
  const brief = await register({ grant_types: ['authorization_code'] });
  expect(await open(await peer.start(brief), ada)).toContain(words.lasts_hour);
});

describeInBrowser('in Chromium', (browser) => {
  const openPage = (options: BrowserContextOptions = {}) =>
    openTab(browser(), { viewport: { width: 360, height: 740 }, ...options });

  test('without JavaScript a person signs in, leaves out a permission, and returns to the application', async () => {
    const client = await register();
    const { page, errors, requests } = await openPage({ javaScriptEnabled: false });
    const words = texts.en.oauth;
    await page.goto(linkFor(client));
    await page.getByLabel(words.email).fill(ada.email);
    await page.getByLabel(words.password).fill('a wrong password');
    await page.getByRole('button', { name: words.sign_in, exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toBe(words.wrong_password);
    await page.getByLabel(words.email).fill(ada.email);
    await page.getByLabel(words.password).fill(goodPassword);
    await page.getByRole('button', { name: words.sign_in, exact: true }).click();
    await expect.poll(() => page.getByText(ada.email).count()).toBe(1);
    await page.getByRole('group', { name: words.use }).getByLabel(words.nouns.tools).uncheck();
    await page.getByRole('button', { name: words.allow, exact: true }).click();
    await expect.poll(() => answer()?.['code'], { timeout: 10_000 }).toBeTruthy();
    const tokens = await peer.exchange(client, {
      code: answer()!['code']!,
      code_verifier: VERIFIER,
    });
    expect(tokens.status).toBe(200);
    const scopes = tokens.body['scope']!.split(' ');
    expect([scopes.includes('mcp_prompts'), scopes.includes('mcp_tools')]).toEqual([true, false]);
    expect(errors).toEqual([]);
    const hosts = new Set(requests.map(({ url }) => new URL(url).host));
    expect([...hosts].toSorted()).toEqual(
      [new URL(gateway.config.PUBLIC_URL).host, new URL(application.redirect_uri).host].toSorted(),
    );
  });

  test('denying takes one click, even signed out, and both buttons are of one size', async () => {
    const client = await register();
    const { page, context } = await openPage();
    await page.goto(linkFor(client));
    await page.getByRole('button', { name: texts.en.oauth.deny }).click();
    await page.waitForURL(`${application.redirect_uri}?**`);
    expect(answer()).toMatchObject({ error: 'access_denied', state: 's1' });
    await context.addCookies(
      [...ada.cookies].map(([name, value]) => ({ name, value, url: gateway.config.PUBLIC_URL })),
    );
    await page.goto(linkFor(client));
    const sizes = await Promise.all(
      [texts.en.oauth.allow, texts.en.oauth.deny].map(async (name) => {
        const box = await page.getByRole('button', { name, exact: true }).boundingBox();
        return [Math.round(box!.width), Math.round(box!.height)];
      }),
    );
    expect(sizes[0]).toEqual(sizes[1]);
    await page.getByRole('button', { name: texts.en.oauth.other_account }).click();
    await expect.poll(() => page.getByLabel(texts.en.oauth.password).count()).toBe(1);
  });

  test('no language is wider than a phone', async () => {
    const client = await register();
    const guest = await signUp(world, gateway, 'guest');
    const session = [...guest.cookies].map(([name, value]) => ({
      ...{ name, value, url: gateway.config.PUBLIC_URL },
    }));
    for (const [locale, { oauth: words }] of Object.entries(texts)) {
      const { page, context, errors } = await openPage({ locale });
      const check = async () => {
        const root = page.locator('html');
        expect(await root.getAttribute('lang')).toBe(locale);
        expect(await root.getAttribute('dir')).toBe(locale === 'ar' ? 'rtl' : 'ltr');
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      };
      await page.goto(linkFor(client));
      await check();
      await context.addCookies(session);
      await page.goto(linkFor(client));
      await page.getByRole('button', { name: words.allow, exact: true }).waitFor();
      await check();
      expect(errors).toEqual([]);
    }
  }, 120_000);
});

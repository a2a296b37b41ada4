import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { scopesIn } from '../../../../src/authz/permissions.ts';
import { texts } from '../../../../src/texts/texts.ts';
import { createApplication, linkTo } from '../../../support/people/application.ts';
import { findViolations } from '../../../support/people/accessibility.ts';
import { describeInBrowser, openTab } from '../../../support/people/browser.ts';
import type { Tab } from '../../../support/people/browser.ts';
import { addTotp } from '../../../support/people/factors.ts';
import { insertClient } from '../../../support/people/oauth.ts';
import type { ClientFields } from '../../../support/people/oauth.ts';
import { createOrganization } from '../../../support/people/organizations.ts';
import { goodPassword, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createTeam } from '../../../support/people/teams.ts';
import { createThirdParty } from '../../../support/people/third-party.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());
const application = await closeAfterTests(createApplication());
const { world, gateway } = party;
const ada = await signUp(world, gateway, 'ada', 'ada@acme.example');
await addTotp(world, ada);
const stranger = await signUp(world, gateway, 'eve');
const organization = await createOrganization(ada);
for (const name of ['design', 'platform']) await createTeam(ada, organization.id, name);
const { status } = await ada.person.ask({
  path: '/api/me/agents',
  body: { name: 'writer', description: 'Writes.', instructions: 'Write.' },
  headers: ada.bearer,
});
expect(status).toBe(201);

const PICTURED = [
  ...['mcp_tools', 'mcp_prompts', 'read:organization_prompts', 'create:organization_prompts'],
  ...['read:team_resources', 'write:team_tool_policies'],
];

const register = (fields: Partial<ClientFields> = {}) =>
  insertClient(party.world, {
    ...{ owner: { organization_id: organization.id }, name: 'Claude' },
    ...{ redirect_uris: [application.redirect_uri], scopes: PICTURED, ...fields },
  });

async function signIn({ context }: Tab, who: SignedUp) {
  const url = party.gateway.config.PUBLIC_URL;
  await context.addCookies([...who.cookies].map(([name, value]) => ({ name, value, url })));
}

const goTo = async ({ page }: Tab, fields?: Partial<ClientFields>) =>
  page.goto(linkTo(party.gateway, await register(fields)));

/** Opens each view of the page, in the language of the tab. */
const views: Record<
  string,
  (tab: Tab, words: (typeof texts)['en' | 'ar']['oauth']) => Promise<unknown>
> = {
  async 'sign-in'(tab) {
    await goTo(tab);
  },
  async refused(tab, words) {
    await goTo(tab);
    await tab.page.getByLabel(words.email).fill('nobody@example.com');
    await tab.page.getByRole('button', { name: words.sso }).click();
    await tab.page.getByRole('alert').and(tab.page.getByText(words.no_sso)).waitFor();
  },
  async code(tab, words) {
    await goTo(tab);
    await tab.page.getByLabel(words.email).fill(ada.email);
    await tab.page.getByLabel(words.password).fill(goodPassword);
    await tab.page.getByRole('button', { name: words.sign_in, exact: true }).click();
    await tab.page.getByLabel(words.code, { exact: true }).waitFor();
  },
  async consent(tab) {
    await signIn(tab, ada);
    await goTo(tab, { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] });
  },
  async personal(tab) {
    await signIn(tab, ada);
    const scopes = [...scopesIn('personal')];
    await goTo(tab, { owner: { account_id: ada.account_id }, scopes });
  },
  async everything(tab) {
    await signIn(tab, ada);
    await goTo(tab, { scopes: [...scopesIn('organization')] });
  },
  async lookalike(tab) {
    await signIn(tab, ada);
    const owner = { account_id: stranger.account_id };
    await goTo(tab, { owner, name: 'Claude Code', redirect_uris: ['https://evil.example/cb'] });
  },
  async mismatch(tab) {
    const client = { ...(await register()), redirect_uri: 'http://localhost:1/x' };
    await tab.page.goto(linkTo(party.gateway, client));
  },
  async stranger(tab) {
    await signIn(tab, stranger);
    await goTo(tab);
  },
  async ended(tab) {
    await tab.page.goto(`${party.gateway.config.PUBLIC_URL}/oauth/consent/unknown`);
  },
};

const folder = process.env['CONSENT_PICTURES'];
/** As for the dashboard: each language, scheme and width once, or all of them. */
const looks = [
  ['en', 'light', 360],
  ['ar', 'dark', 1280],
  ['en', 'light', 1280],
  ['ar', 'dark', 360],
] as const;
const PICTURES =
  /^(?:sign-in\.en\.light\.360|consent\.(?:en\.light|ar\.dark)\.360|consent\.en\.light\.1280)$/;

/** Saves the page as small as possible. */
async function savePicture({ page, context }: Tab, name: string) {
  const devTools = await context.newCDPSession(page);
  const { data } = await devTools.send('Page.captureScreenshot', {
    ...{ format: 'webp', quality: 60, captureBeyondViewport: true },
  });
  mkdirSync(folder!, { recursive: true });
  writeFileSync(join(folder!, `${name}.webp`), Buffer.from(data, 'base64'));
}

const focused = (page: Page) =>
  page.evaluate<string>(
    `(({ tagName, name, value, textContent }) => \`\${tagName} \${name ?? ''} \${value ?? textContent}\`)(document.activeElement)`,
  );

describeInBrowser('the consent page in Chromium', (browser) => {
  test.each(looks.slice(0, process.env['DASHBOARD_LOOKS'] === 'all' ? 4 : 2))(
    'every view passes axe and fits the screen: %s, %s, %i wide',
    async (locale, colorScheme, width) => {
      for (const [view, show] of Object.entries(views)) {
        const name = `${view}.${locale}.${colorScheme}.${width}`;
        const viewport = { width, height: width === 360 ? 740 : 800 };
        const tab = await openTab(browser(), { locale, colorScheme, viewport });
        await show(tab, texts[locale].oauth);
        expect(await findViolations(tab.page), name).toEqual([]);
        expect(await tab.page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
        expect(await tab.page.locator('html').getAttribute('dir')).toBe(
          locale === 'ar' ? 'rtl' : 'ltr',
        );
        expect(tab.errors, name).toEqual([]);
        if (folder !== undefined && (folder.endsWith('all') || PICTURES.test(name)))
          await savePicture(tab, name);
        await tab.context.close();
      }
    },
    120_000,
  );

  test('a person decides with the keyboard alone, in the order in which the page reads', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    const scopes = ['mcp_tools', 'mcp_agents'];
    await goTo(tab, { owner: { account_id: stranger.account_id }, name: 'Notes', scopes });
    await page.keyboard.press('Tab');
    await page.keyboard.type(stranger.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(goodPassword);
    await page.keyboard.press('Enter');
    await page.getByText(stranger.email).waitFor();
    const order: string[] = [];
    for (let steps = 0; steps < 5; steps += 1) {
      await page.keyboard.press('Tab');
      order.push(await focused(page));
      if (order.at(-1) === 'INPUT scope mcp_tools') await page.keyboard.press('Space');
    }
    expect(order).toEqual([
      ...['BUTTON action sign_out', 'INPUT scope mcp_tools', 'INPUT scope mcp_agents'],
      ...['BUTTON action allow', 'BUTTON action deny'],
    ]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${application.redirect_uri}?**`);
    const rows = await party.world.query(
      'SELECT scopes FROM oauth_connection WHERE account_id = $1',
      [stranger.account_id],
    );
    expect(rows).toEqual([{ scopes: ['mcp_agents'] }]);
  });

  test('names are text, whatever they contain, in every view', async () => {
    const name = `<img src=x onerror="document.title='owned'"> & "Co" <script>`;
    const founder = await signUp(party.world, party.gateway, 'founder');
    const hostile = await createOrganization(founder);
    const renamed = await party.world.query(
      'UPDATE organization SET name = $2 WHERE id = $1 RETURNING id',
      [hostile.id, name],
    );
    expect(renamed).toHaveLength(1);
    const { id: team } = await createTeam(founder, hostile.id, 'red');
    await party.world.query('UPDATE team SET title = $2 WHERE id = $1', [team, name]);
    const fields = { owner: { organization_id: hostile.id }, name };
    const tab = await openTab(browser());
    await goTo(tab, fields);
    expect(await tab.page.getByText(name).count()).toBe(1);
    await signIn(tab, founder);
    await goTo(tab, fields);
    // The heading, the owner and the team.
    expect(await tab.page.getByText(name).count()).toBe(3);
    await tab.page.getByRole('button', { name: texts.en.oauth.deny }).click();
    await tab.page.waitForURL(`${application.redirect_uri}?**`);
    expect(await tab.page.locator('img').count()).toBe(0);
    expect(tab.requests.filter(({ url }) => url.endsWith('/x'))).toEqual([]);
    expect(tab.errors).toEqual([]);
  });

  test('an agent is chosen from those that the permissions reach; a choice they no longer reach is refused', async () => {
    const words = texts.en.oauth;
    const tab = await openTab(browser(), { javaScriptEnabled: false });
    const { page } = tab;
    await signIn(tab, ada);
    const owner = { account_id: ada.account_id };
    await goTo(tab, { owner, scopes: ['mcp_tools'] });
    expect(await page.getByRole('combobox', { name: words.agent }).count()).toBe(0);
    await goTo(tab, { owner, scopes: ['mcp_tools', 'mcp_agents'] });
    const agents = page.getByRole('combobox', { name: words.agent });
    expect(await agents.locator('option').allTextContents()).toEqual([words.agent_none, 'writer']);
    await agents.selectOption('writer');
    await page.getByLabel(words.nouns.agents).uncheck();
    await page.getByRole('button', { name: words.allow, exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toBe(words.agent_gone);
    expect(await page.getByLabel(words.nouns.agents).isChecked()).toBe(false);

    await page.getByLabel(words.nouns.agents).check();
    await page.getByRole('button', { name: words.allow, exact: true }).click();
    await page.waitForURL(`${application.redirect_uri}?**`);

    const rows = await party.world.query(
      `SELECT count(*)::int FROM oauth_connection JOIN item ON item.id = default_agent_id
       WHERE account_id = $1 AND item.name = 'writer'`,
      [ada.account_id],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  test('who is not a member, or whose organization is suspended, is told so and can only deny', async () => {
    const words = texts.en.oauth;
    const tab = await openTab(browser(), { javaScriptEnabled: false });
    const { page } = tab;
    await signIn(tab, stranger);
    await goTo(tab);
    expect(await page.getByText(words.not_a_member).count()).toBe(1);
    expect(await page.getByRole('button', { name: words.allow, exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: words.other_account }).click();
    await page.getByLabel(words.password).waitFor();

    await party.gateway.service.organizations.setStatus(organization.id, 'suspended');
    await signIn(tab, ada);
    await goTo(tab);
    expect(await page.getByText(words.organization_suspended).count()).toBe(1);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('button', { name: words.deny }).click();
    await page.waitForURL(`${application.redirect_uri}?**`);
    expect(application.answers.at(-1)).toMatchObject({ error: 'access_denied' });
    await party.gateway.service.organizations.setStatus(organization.id, 'active');
  });

  test('who is deactivated is signed out, and cannot sign in', async () => {
    const words = texts.en.oauth;
    const bob = await signUp(party.world, party.gateway, 'bob');
    const tab = await openTab(browser(), { javaScriptEnabled: false });
    const { page } = tab;
    await signIn(tab, bob);
    await goTo(tab, { owner: { account_id: bob.account_id } });
    await party.gateway.service.activate(bob.email, 'deactivated');
    await page.getByRole('button', { name: words.allow, exact: true }).click();

    await page.getByLabel(words.email).fill(bob.email);
    await page.getByLabel(words.password).fill(goodPassword);
    await page.getByRole('button', { name: words.sign_in, exact: true }).click();

    expect(await page.getByRole('alert').textContent()).toBe(words.wrong_password);
    const rows = await party.world.query('SELECT FROM oauth_connection WHERE account_id = $1', [
      bob.account_id,
    ]);
    expect(rows).toEqual([]);
  });
});

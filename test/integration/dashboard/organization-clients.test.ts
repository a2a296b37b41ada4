import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { connectSdkV2 } from '../../support/clients/sdk-v2.ts';
import { describeInBrowser } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { expectAccessible, openAs as openTabAs } from '../../support/people/dashboard.ts';
import { askAs, createJoins, createOrganization } from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const support = await closeAfterTests(createConnectionsSupport(world, gateway));
const joins = await closeAfterTests(createJoins(gateway));
const ada = await signUp(world, gateway, 'ada');
const ben = await signUp(world, gateway, 'ben');
const { id } = await createOrganization(ada);
await createTeam(ada, id, 'release');
await joins.add(id, ben);
await ask('/agents', 'POST', {
  ...{ name: 'writer', description: 'Writes.', instructions: 'Write.', organization_wide: true },
});
const catalog = await ask<{ data: { id: string; name: string }[] }>('/catalog/tools');
const tools = catalog.data.filter(({ name }) => name === 'calculator').map((tool) => tool.id);
await ask('/mcp-settings', 'PUT', {
  ...{ tools, organization_wide_tools: tools },
  ...{ platform_prompts: [], organization_wide_prompts: [] },
});
const key: { id: string; secret: string } = await ask('/keys', 'POST', {
  name: 'Counter',
  mcp_capabilities: ['tools'],
});
const counter = await connectSdkV2('legacy', '2025-11-25')(`${gateway.url}/mcp`, key.secret);
for (const expression of ['1 + 1', '1 +'])
  await counter.call('calculator', { expression }).catch(() => {});

const inside = (rest = '') => `/app/org/${id}${rest}`;

/** Asks as the Owner, below the organization. */
async function ask<Body>(rest: string, method = 'GET', body?: unknown): Promise<Body> {
  const path = `/api/organizations/${id}${rest}`;
  const answer = await askAs<Body>(ada, { path, method, body });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

async function openAs(browser: Browser, who: SignedUp, rest: string): Promise<Tab> {
  const tab = await openTabAs(browser, gateway, who);
  await tab.page.goto(inside(rest));
  await tab.page.locator('h1').waitFor();
  return tab;
}

interface StoredClient {
  name: string;
  grant_types: string[];
  allowed_scopes: string[];
  teams: { name: string }[];
  disabled: boolean;
}
const clientNamed = async (name: string) =>
  (await ask<{ data: StoredClient[] }>('/oauth-clients')).data.find((one) => one.name === name);

const allowed = async (): Promise<string> => {
  const owner = { organization_id: id };
  const client = await support.client({ owner, scopes: ['mcp_tools'] });
  return support.authorize(client, ben);
};

describeInBrowser('OAuth clients, connections and usage of an organization', (browser) => {
  test('a client that acts for the organization is bound to a team and needs no redirect', async () => {
    const { page, errors } = await openAs(browser(), ada, '/clients/new');
    await page.getByLabel('Name').fill('Nightly');
    await page.getByRole('radio', { name: 'Confidential' }).check();
    await page.getByRole('checkbox', { name: 'The organization itself' }).check();
    await page.getByRole('checkbox', { name: 'People who sign in' }).uncheck();
    expect(await page.getByLabel('Redirect URIs').count()).toBe(0);
    await page.getByRole('radio', { name: 'Only these teams' }).check();
    await page.getByRole('checkbox', { name: 'release' }).check();
    await page
      .getByRole('group', { name: /^Permissions in the organization/ })
      .getByRole('checkbox', { name: 'Create: Prompts' })
      .check();
    await page.getByRole('button', { name: 'Register client' }).click();
    await page.getByRole('dialog').getByLabel('I have stored this').check();
    await page.getByRole('button', { name: 'Continue to the client' }).click();
    await page.waitForURL(new RegExp(`${inside('/clients')}/[0-9a-f-]{36}`));
    const client = await clientNamed('Nightly');
    expect(client).toMatchObject({
      grant_types: ['client_credentials'],
      teams: [{ name: 'release' }],
    });
    expect(client?.allowed_scopes).toContain('create:organization_prompts');

    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('radio', { name: 'All teams, later ones too' }).check();
    await page.getByRole('button', { name: 'Save changes' }).click();
    expect((await sent).postDataJSON()).toEqual({ team_ids: null });
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('link', { name: /^Nightly/ }).click();
    await page
      .getByText(/1 tool|4 tools/)
      .first()
      .waitFor();
    await page.getByRole('combobox', { name: 'Default agent' }).click();
    await page.getByRole('option', { name: 'writer' }).click();
    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It applies').waitFor();
    expect(errors).toEqual([]);
  });

  test('a connection of a member is listed with the member, and is revoked', async () => {
    const connection = await allowed();
    const { page } = await openAs(browser(), ada, '/connections');
    const row = page.locator(`a[href="${inside(`/connections/${connection}`)}"]`);
    await row.getByText(ben.email).waitFor();
    await row.click();
    await page.getByText('only that person can look at it').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('Type Client to confirm').fill('Client');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${inside('/connections')}`);
    const { data } = await ask<{ data: { id: string }[] }>('/connections');
    expect(data.map((one) => one.id)).not.toContain(connection);
  });

  test('usage names who called what, and filters the calls by key', async () => {
    const { page } = await openAs(browser(), ada, '/usage');
    await page.getByRole('region', { name: 'Most used' }).getByText('calculator').waitFor();
    await page.getByRole('region', { name: 'Calls by credential' }).getByText('Counter').waitFor();
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    await page.getByRole('combobox', { name: 'API key' }).click();
    await page.getByRole('option', { name: 'Counter' }).click();
    await page.waitForURL(`**${inside('/usage')}?key=${key.id}`);
    await expect.poll(() => calls.count()).toBe(2);
    await page.goto(inside(`/keys/${key.id}?tab=activity`));
    await expect.poll(() => calls.count()).toBe(2);
  });

  test.each(['clients', 'clients/new', 'connections', 'usage'])(
    '%s names the permission that a member without it needs',
    async (place) => {
      const { page } = await openAs(browser(), ben, `/${place}`);
      await page
        .getByRole('alert')
        .filter({ hasText: /^You need the permission “.*” in Acme/ })
        .first()
        .waitFor();
    },
  );

  test('every view is accessible, on a screen and a phone', async () => {
    const connection = await allowed();
    await expectAccessible(browser(), gateway, ada, {
      'org-clients': (page) =>
        page.goto(inside('/clients')).then(() => page.locator('a.list-row').first().waitFor()),
      async 'org-client-new'(page) {
        await page.goto(inside('/clients/new'));
        await page.getByRole('radio', { name: 'Confidential' }).check();
        await page.getByRole('radio', { name: 'Only these teams' }).check();
        await page.getByRole('checkbox', { name: 'release' }).waitFor();
      },
      'org-connections': (page) =>
        page.goto(inside('/connections')).then(() => page.locator('a.list-row').first().waitFor()),
      'org-connection': (page) =>
        page
          .goto(inside(`/connections/${connection}`))
          .then(() => page.getByText(ben.email).waitFor()),
      async 'org-usage'(page) {
        await page.goto(inside('/usage'));
        await page.getByRole('list', { name: 'Calls' }).waitFor();
        await page.getByRole('img', { name: /Calls per day/ }).waitFor();
      },
    });
  }, 300_000);
});

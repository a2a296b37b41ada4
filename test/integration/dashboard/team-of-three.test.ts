import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { openAs as openTabAs } from '../../support/people/dashboard.ts';
import {
  ADMIN,
  askAs,
  createJoins,
  createOrganization,
} from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const joins = await closeAfterTests(createJoins(gateway));
const ada = await signUp(world, gateway, 'ada');
const ben = await signUp(world, gateway, 'ben');
const cleo = await signUp(world, gateway, 'cleo');
const { id } = await createOrganization(ada, 'Northwind');
const team_id = (await createTeam(ada, id, 'support')).id;
await askAs(ada, {
  path: `/api/organizations/${id}/teams/${team_id}`,
  method: 'PATCH',
  body: { title: 'Customer support' },
});
await joins.add(id, ben, [ADMIN]);
await seatsOf(id, team_id).add(ada, ben);

const inside = (rest = '') => `/app/org/${id}${rest}`;
async function openAs(browser: Browser, who: SignedUp, rest: string): Promise<Page> {
  const { page } = await openTabAs(browser, gateway, who);
  await page.goto(inside(rest));
  await page.locator('h1').waitFor();
  return page;
}

const switcher = (page: Page) => page.getByRole('button', { name: /^Change space: / });
const links = (page: Page) => page.getByRole('navigation', { name: 'Menu' }).getByRole('link');
const toolsOf = (page: Page) => page.getByRole('region', { name: 'Tools', exact: true });

describeInBrowser('an organization of three people in the dashboard', (browser) => {
  test.each([
    { width: 1440, height: 700 },
    { width: 390, height: 844 },
    { width: 844, height: 390 },
  ])('the space can be changed on a screen of $width × $height', async (size) => {
    const page = await openAs(browser(), ada, '/teams');
    await page.setViewportSize(size);
    const menu = page.getByRole('button', { name: 'Menu' });
    if (await menu.isVisible()) await menu.click();
    const box = await switcher(page).boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(30);
    expect(box?.y).toBeGreaterThanOrEqual(56);
    expect(box!.y + box!.height).toBeLessThan(size.height);
    expect(await links(page).count()).toBeGreaterThan(15);
    for (const link of await links(page).all()) {
      await link.scrollIntoViewIfNeeded();
      // A trial fails if anything covers the link.
      await link.click({ trial: true });
    }
    await switcher(page).click();
    await page.getByRole('menuitem', { name: 'Personal space' }).click();
    await page.waitForURL('**/app');
  });

  test('members show titles of teams and when they joined, and are invited from their list', async () => {
    const page = await openAs(browser(), ada, '/members');
    const row = page.getByRole('link', { name: ben.email });
    await row
      .filter({ hasText: 'in Customer support' })
      .filter({ hasText: /joined .* ago/ })
      .waitFor();
    await page.getByRole('button', { name: 'Invite a person' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or go to' }).fill('invite');
    await page.getByRole('option', { name: 'Invite a person' }).click();
    await page.waitForURL('**/invitations?new=true');
    await page.getByRole('dialog', { name: 'Invite a person' }).getByText('Cancel').click();
    await page.goBack();
    await page.getByRole('button', { name: 'Invite a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill('dana@example.com');
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goto(inside('/invitations'));
    await page.getByText(/expires in 7 days/).waitFor();
    await page.goto(inside(`/members/${ben.account_id}`));
    await page.getByRole('link', { name: 'Customer support' }).click();
    await page.waitForURL(`**/teams/${team_id}`);
  });

  test('a new organization says what comes next, until it is done', async () => {
    const dana = await signUp(world, gateway, 'dana');
    const { id: other } = await createOrganization(dana, 'Southwind');
    const { page } = await openTabAs(browser(), gateway, dana);
    await page.goto(`/app/org/${other}`);
    const next = page.getByRole('region', { name: 'Next steps' });
    await next.getByRole('link', { name: 'Choose built-in tools' }).waitFor();
    await next.getByRole('link', { name: 'Create an organization key' }).waitFor();
    await next.getByRole('link', { name: 'Create team' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Support');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await dialog.getByText('Use only lower-case letters').waitFor();
    await dialog.getByLabel('Name').fill('support');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('heading', { level: 1, name: 'support' }).waitFor();
    await page.goto(`/app/org/${other}`);
    await next.waitFor();
    expect(await next.getByRole('link', { name: 'Create team' }).count()).toBe(0);
  });

  test('a text that names no tool is not taken for a pattern', async () => {
    const page = await openAs(browser(), ada, `/teams/${team_id}?tab=policies`);
    const tools = toolsOf(page);
    await tools.getByRole('radio', { name: 'Only these' }).check();
    const field = tools.getByRole('combobox', { name: 'Built-in tools' });
    await field.fill('json_*');
    await field.press('Enter');
    const refused = tools.getByText('No tool is named “json_*”. Choose from the list.');
    await refused.waitFor();
    await field.fill('');
    await refused.waitFor({ state: 'detached' });
    await field.fill('json_');
    await tools.getByRole('button', { name: 'Save policy' }).click();
    await tools.getByText('No tool is named “json_”.').waitFor();
    expect(await field.inputValue()).toBe('json_');
    await page.getByRole('option').first().click();
    await tools.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('The policy is changed.').waitFor();
  });

  test('a preview counts keys and connections by their kinds', async () => {
    const billing = await createTeam(ada, id, 'billing');
    const page = await openAs(browser(), ada, `/teams/${billing.id}?tab=policies`);
    const choose = async () => {
      await toolsOf(page).getByRole('radio', { name: 'All except these' }).check();
      await toolsOf(page).getByRole('combobox', { name: 'Built-in tools' }).click();
      await page.getByRole('option').first().click();
    };
    await choose();
    await page.getByText('No key or connection gains or loses anything now.').waitFor();
    const settings = `/api/organizations/${id}/mcp-settings`;
    const { body } = await askAs<{ data: { id: string }[] }>(ada, {
      path: `/api/organizations/${id}/catalog/tools`,
    });
    const saved = await askAs(ada, {
      ...{ path: settings, method: 'PUT' },
      body: {
        tools: body.data.map((tool) => tool.id),
        organization_wide_tools: [],
        platform_prompts: [],
        organization_wide_prompts: [],
      },
    });
    expect(saved.status).toBe(200);
    for (const name of ['First', 'Second']) {
      const draft = { name, org_scope: id, mcp_capabilities: ['tools'] };
      const created = await askAs(ada, { path: '/api/keys', body: draft });
      expect(created.status).toBe(201);
    }
    await page.reload();
    await choose();
    await page.getByText('Affected: 2 API keys', { exact: true }).waitFor();
  });

  test('an organization that the person has left has the pages of the person', async () => {
    await joins.add(id, cleo);
    const page = await openAs(browser(), cleo, '/teams');
    await page.getByText('You are in no team yet.').waitFor();
    const path = `/api/organizations/${id}/members/${cleo.account_id}`;
    expect((await askAs(ada, { path, method: 'DELETE' })).status).toBe(204);
    await page.reload();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await switcher(page).filter({ hasText: 'Personal space' }).waitFor();
    await links(page).filter({ hasText: 'Connect' }).first().waitFor();
    expect(await links(page).filter({ hasText: 'Teams' }).count()).toBe(0);
  });
});

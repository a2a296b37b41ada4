import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { expectAccessible, openAs as openTabAs } from '../../support/people/dashboard.ts';
import { askAs, createJoins, createOrganization } from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const joins = await closeAfterTests(createJoins(gateway));
const ada = await signUp(world, gateway, 'ada');
const ben = await signUp(world, gateway, 'ben');
const { id } = await createOrganization(ada);
const team_id = (await createTeam(ada, id, 'release')).id;
await joins.add(id, ben);

const inside = (rest = '') => `/app/org/${id}${rest}`;
async function openAs(browser: Browser, who: SignedUp, rest: string): Promise<Tab> {
  const tab = await openTabAs(browser, gateway, who);
  await tab.page.goto(inside(rest));
  await tab.page.locator('h1').waitFor();
  return tab;
}

interface Settings {
  tools: string[];
  organization_wide_tools: string[];
}

describeInBrowser('teams, keys and tools of an organization in the dashboard', (browser) => {
  test('a team is created, gets a member with a preview, and is deleted', async () => {
    const { page, errors } = await openAs(browser(), ada, '/teams');
    await page.getByRole('button', { name: 'Create team' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('me');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    await dialog.getByLabel('Name').fill('platform');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('heading', { level: 1, name: 'platform' }).waitFor();

    await page.getByRole('button', { name: 'Add a member' }).click();
    await dialog.getByRole('combobox', { name: 'Member' }).fill(ben.email.slice(0, 10));
    await page.getByRole('option', { name: ben.email }).click();
    await dialog.getByRole('checkbox').first().check();
    await dialog.getByText(/Gains: Members \(View/).waitFor();
    await dialog.getByRole('button', { name: 'Add a member' }).click();
    await page.getByRole('button', { name: `Change roles of ${ben.email}` }).waitFor();

    await page.getByRole('tab', { name: 'Roles' }).click();
    await page.getByRole('link', { name: 'Create role' }).click();
    await page.getByLabel('Name').fill('Editor');
    await page.getByRole('checkbox', { name: 'Create: Tools' }).check();
    await page.getByRole('button', { name: 'Create role' }).click();
    await page.getByRole('link', { name: /^Editor/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Editor' }).waitFor();
    await page.goBack();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete team' }).click();
    await page.getByLabel('Type platform to confirm').fill('platform');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${inside('/teams')}`);
    expect(errors).toEqual([]);
  });

  test('a selected tool reaches the organization, or only the teams that admit it', async () => {
    const { page } = await openAs(browser(), ada, '/mcp');
    await page.getByRole('checkbox', { name: 'Select all' }).first().check();
    // Tools that change content are chosen by themselves.
    const management = page.getByRole('group', { name: 'Management tools' });
    await management.getByRole('checkbox', { name: 'delete_prompt' }).waitFor();
    const reach = page.getByRole('combobox', { name: /^Who can use / }).first();
    await reach.selectOption('Organization-wide');
    await page.getByRole('region', { name: 'What this changes' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It applies from the next request.').waitFor();
    const { body } = await askAs<Settings>(ada, { path: `/api/organizations/${id}/mcp-settings` });
    expect(body.tools.length).toBeGreaterThan(1);
    expect(body.organization_wide_tools.length).toBe(1);
  });

  test('a policy of a team admits only the listed tools', async () => {
    const { page } = await openAs(browser(), ada, `/teams/${team_id}?tab=policies`);
    const tools = page.getByRole('region', { name: 'Tools', exact: true });
    await tools.getByRole('radio', { name: 'Only these' }).check();
    // Nothing is wrong before the first choice.
    expect(await page.getByText('This cannot be saved').count()).toBe(0);
    await tools.getByRole('combobox', { name: 'Built-in tools' }).click();
    await page.getByRole('option').first().click();
    await tools.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('The policy is changed.').waitFor();
    const path = `/api/organizations/${id}/teams/${team_id}/policies/tool`;
    const { body } = await askAs<{ mode: string; tools: string[] }>(ada, { path });
    expect([body.mode, body.tools.length]).toEqual(['whitelist', 1]);
  });

  test('the audit log is filtered in the address and by its link to a file', async () => {
    const { page } = await openAs(browser(), ada, '/audit');
    await page.getByLabel('Action').fill('team.');
    await page.waitForURL('**/audit?action=team.');
    await page
      .getByText(/^team\./)
      .first()
      .waitFor();
    const link = page.getByRole('link', { name: 'Download CSV' });
    expect(await link.getAttribute('href')).toContain('action=team.&format=csv');
    await page.getByLabel('Action').fill('nothing.');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL('**/audit');
  });

  test.each(['members', 'keys', 'mcp', 'audit'])(
    '%s names the permission that a member without it needs',
    async (place) => {
      const { page } = await openAs(browser(), ben, `/${place}`);
      await page
        .getByRole('alert')
        .filter({ hasText: /^You need the permission “.*: View” in Acme/ })
        .waitFor();
    },
  );

  const PAGES = ['/teams', '/keys', '/keys/new', '/mcp', '/audit'];
  const TEAM_PAGES = ['members', 'roles', 'policies', 'settings'];
  test.each([...PAGES, ...TEAM_PAGES])('%s has no accessibility problem', (place) =>
    expectAccessible(browser(), gateway, ada, {
      [`org-access-${place.replaceAll('/', '-')}`]: async (page) => {
        await page.goto(inside(place.startsWith('/') ? place : `/teams/${team_id}?tab=${place}`));
        await page.waitForLoadState('networkidle');
        expect(await page.getByText('This page could not be shown').count()).toBe(0);
      },
    }),
  );
});

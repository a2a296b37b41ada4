import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { askAs, createJoins, createOrganization } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { Joins } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam } from '../../support/people/teams.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { createContentPages } from './content-pages.ts';
import type { ContentPages } from './content-pages.ts';

let world: World;
let gateway: Gateway;
let ada: SignedUp;
let pages: ContentPages;
let joins: Joins;
let organization: string;
let area: string;
let team: string;
beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
  ada = await signUp(world, gateway);
  pages = createContentPages(gateway, ada);
  joins = await createJoins(gateway);
  organization = (await createOrganization(ada)).id;
  area = `/app/org/${organization}`;
  team = (await createTeam(ada, organization, 'release')).id;
});
afterAll(async () => {
  await joins?.close();
  await world?.close();
});

describeInBrowser('the content of organizations and teams', (browser) => {
  test('a prompt of the catalog is organization-wide if its form says so', async () => {
    const tab = await openTab(browser());
    const page = await pages.open(tab, `${area}/prompts/new`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('shared');
    await page.getByLabel('Text of message 1').fill('Hello.');
    await page.getByRole('switch', { name: 'Organization-wide' }).check();
    await page.getByRole('button', { name: 'Create prompt' }).click();
    await page.waitForURL(/\/prompts\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { level: 1, name: 'shared' }).waitFor();
    const path = `/api/organizations/${organization}/prompts`;
    const { body } = await askAs<{ data: object[] }>(ada, { path });
    expect(body.data).toMatchObject([{ name: 'shared', organization_wide: true }]);
    expect(tab.errors).toEqual([]);
  });

  test('each space lists its own items, and those of a team can be moved to the catalog', async () => {
    const tab = await openTab(browser());
    const page = await pages.open(tab, `${area}/teams/${team}`);
    await page.getByRole('link', { name: 'Team content' }).click();
    const families = page.getByRole('navigation', { name: 'Kinds of content' });
    await families.getByRole('link', { name: 'Resources' }).click();
    await page.getByRole('link', { name: 'Create a resource' }).first().click();
    await page.getByRole('textbox', { name: 'Path' }).fill('plan.md');
    await page.getByLabel('Text', { exact: true }).fill('Ship it.');
    await page.getByRole('button', { name: 'Create resource' }).click();
    await page.getByText('toolgate://').waitFor();
    const resource = page.url();

    await page.goto(`${gateway.config.PUBLIC_URL}${area}/teams/${team}/resources`);
    await page.getByRole('link', { name: /plan\.md/ }).waitFor();
    for (const space of [area, `${area}/me`]) {
      await page.goto(`${gateway.config.PUBLIC_URL}${space}/resources`);
      await page.getByText('No resources yet.').waitFor();
    }

    await page.goto(resource);
    await page.getByRole('button', { name: 'Move to the catalog' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move to the catalog' }).click();
    await page.waitForURL(`**${area}/resources/*`);
    await page.getByRole('heading', { level: 1, name: 'plan.md' }).waitFor();
    expect(tab.errors).toEqual([]);
  });

  test('a member without the permission reads which one creating needs', async () => {
    const ben = await signUp(world, gateway, 'ben');
    await joins.add(organization, ben);
    const tab = await openTab(browser());
    const page = await createContentPages(gateway, ben).open(tab, `${area}/prompts/new`);
    await page.getByText('You need the permission “Prompts: Create”').waitFor();
    expect(await page.getByRole('button', { name: 'Create prompt' }).count()).toBe(0);
    expect(tab.errors).toEqual([]);
  });

  test('every space passes axe and fits the screen', async () => {
    await pages.requireAccessible(browser(), {
      'catalog-prompts': [`${area}/prompts`],
      'catalog-prompt-new': [`${area}/prompts/new`],
      'team-tools': [`${area}/teams/${team}/tools`],
      'own-agents': [`${area}/me/agents`],
    });
  }, 240_000);
});

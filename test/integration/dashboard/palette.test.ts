import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectAccessible, openAs } from '../../support/people/dashboard.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);
const organization = await createOrganization(ada);
const key = { name: 'Nightly report', mcp_capabilities: ['tools'] };
const keyId = (await create<{ id: string }>('/api/keys', key)).id;
await create('/api/me/resources', { path: 'nightly/notes', text: 'Text.' });

async function create<Body>(path: string, body: unknown): Promise<Body> {
  const answer = await ada.person.ask<Body>({ path, method: 'POST', body, headers: ada.bearer });
  expect(answer.status).toBe(201);
  return answer.body;
}

const palette = (page: Page) => page.getByRole('dialog', { name: 'Pages, items and actions' });
const list = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });
const pathOf = (page: Page) => new URL(page.url()).pathname;

async function openPalette(page: Page) {
  await page.keyboard.press('Control+k');
  await palette(page).waitFor();
}

async function showKeys(page: Page) {
  await page.goto('/app/keys');
  await page.getByRole('link', { name: 'Nightly report' }).waitFor();
}

describeInBrowser('the command palette and the keys of the dashboard', (browser) => {
  test('what is typed finds pages, and items of the service by their names', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openPalette(page);
    await page.keyboard.type('nightly');
    await page.getByRole('option', { name: 'nightly/notes Resource' }).waitFor();
    await page.getByRole('option', { name: 'Nightly report API key' }).waitFor();
    await palette(page).getByRole('status').filter({ hasText: '2 entries' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nightly report', level: 1 }).waitFor();
    expect(pathOf(page)).toBe(`/app/keys/${keyId}`);
    expect(await page.locator('main:focus').count()).toBe(1);

    await openPalette(page);
    await page.keyboard.type('connections');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/connections');
    expect(errors).toEqual([]);
  });

  test('the arrows choose an entry, and go round', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await showKeys(page);
    await openPalette(page);
    const chosen = palette(page).getByRole('option', { selected: true });
    await chosen.filter({ hasText: 'Overview' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await chosen.filter({ hasText: 'Sign out' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await chosen.filter({ hasText: 'Connect' }).waitFor();
    const field = palette(page).getByRole('combobox');
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
  });

  test('closing gives the focus back to where it was', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await showKeys(page);
    const link = page.getByRole('link', { name: 'Nightly report' });
    await link.focus();
    await openPalette(page);
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
    await page.locator('a:focus', { hasText: 'Nightly report' }).waitFor();

    await page.getByRole('button', { name: 'Search' }).click();
    await palette(page).getByRole('button', { name: 'Close' }).click();
    await page.locator('button:focus', { hasText: 'Search' }).waitFor();
  });

  test('g and a letter lead to a page, / to its filter and ? lists the keys', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('link', { name: 'Nightly report' }).waitFor();
    await page.keyboard.press('/');
    await page.locator('input:focus[aria-label="Find by name"]').waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await list(page).getByText('API keys').waitFor();
  });

  test('a field gets the keys that type a character', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await showKeys(page);
    const field = page.getByRole('textbox', { name: 'Find by name' });
    await field.focus();
    await page.keyboard.type('gc?/');
    expect(await field.inputValue()).toBe('gc?/');
    await page.getByText('No key has a name').waitFor();
    expect(pathOf(page)).toBe('/app/keys');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('a dialog gets no shortcut', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(`/app/keys/${keyId}`);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.keyboard.press('Control+k');
    expect(pathOf(page)).toBe(`/app/keys/${keyId}`);
    expect(await page.getByRole('dialog').count()).toBe(1);
  });

  test('the keys that type a character stay off once they are turned off', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await showKeys(page);
    await page.keyboard.press('?');
    await list(page).getByRole('switch', { name: 'Shortcuts without a modifier key' }).uncheck();
    await page.keyboard.press('Escape');
    await list(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Nightly report' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.keyboard.press('?');
    await openPalette(page);
    expect(pathOf(page)).toBe('/app/keys');
    expect(await page.getByRole('dialog').count()).toBe(1);
  });

  test('in an organization, the palette has its pages, and finds its members', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openPalette(page);
    await page.keyboard.type(organization.name);
    await page.getByRole('option', { name: organization.name }).click();
    await page.waitForURL(`**/app/org/${organization.id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openPalette(page);
    await page.getByRole('option', { name: 'Members' }).waitFor();
    await page.keyboard.type(ada.email);
    await page.getByRole('option', { name: `${ada.email} Member` }).click();
    await page.waitForURL(/\/members\/[\da-f-]{36}$/);
  });

  test('actions change the colour scheme and end the session', async () => {
    const { page } = await openAs(browser(), gateway, ada, { colorScheme: 'light' });
    await page.goto('/app');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openPalette(page);
    await page.keyboard.type('colour dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    const other = await openAs(browser(), gateway, await signUp(world, gateway));
    await other.page.goto('/app');
    await other.page.getByRole('heading', { level: 1 }).waitFor();
    await openPalette(other.page);
    await other.page.keyboard.type('sign out');
    await other.page.keyboard.press('Enter');
    await other.page.waitForURL('**/sign-in');
  });

  test('every view is accessible, on a screen and a phone', async () => {
    await expectAccessible(browser(), gateway, ada, {
      palette: (page) => showKeys(page).then(() => openPalette(page)),
      async 'palette-found'(page) {
        await showKeys(page);
        await openPalette(page);
        await page.keyboard.type('nightly');
        await page.getByRole('option', { name: 'Nightly report' }).waitFor();
      },
      async 'palette-empty'(page) {
        await showKeys(page);
        await openPalette(page);
        await page.keyboard.type('nothing has this name');
        await page.getByText('Nothing matches.').waitFor();
      },
      async 'shortcut-list'(page) {
        await showKeys(page);
        await page.keyboard.press('?');
        await list(page).waitFor();
      },
    });
  });
});

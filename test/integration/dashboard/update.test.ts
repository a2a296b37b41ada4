import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectStateAccessible, openAs } from '../../support/people/dashboard.ts';
import { goodPassword, signInAs, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
let ada: SignedUp;
beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
  ada = await signUp(world, gateway);
});
afterAll(() => world?.close());

/** An update has replaced the files that a page has not read yet. */
const update = (page: Page) =>
  page.route('**/assets/**', (route) => route.fulfill({ status: 404, body: '' }));

const nameField = (page: Page) => page.getByLabel('Name');
const createButton = (page: Page) => page.getByRole('button', { name: 'Create key', exact: true });
const secret = (page: Page) => page.getByRole('dialog').getByLabel('Secret of the key');

/** Waits until a page has read what it reads once it is drawn. */
const untilRead = (page: Page) => page.waitForLoadState('networkidle');

describeInBrowser('a page that was open during an update', (browser) => {
  test('a form keeps what was typed when a field of it can no longer be read, and can be saved', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/keys/new');
    await nameField(page).fill('Typed before the update');
    await untilRead(page);
    await update(page);
    // The field of patterns has a file of its own, which was not read yet.
    await page.locator('summary').filter({ hasText: 'What it may use' }).click();
    const resources = page.getByRole('radiogroup', { name: 'Resources' });
    await resources.getByLabel('Only these').check();
    const alert = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    await alert.getByRole('button', { name: 'Load again' }).waitFor();
    await expectStateAccessible(page);
    expect(await nameField(page).inputValue()).toBe('Typed before the update');

    await resources.getByLabel('All', { exact: true }).check();
    await alert.waitFor({ state: 'detached' });
    await createButton(page).click();
    await secret(page).waitFor();
  });

  test('a session that ends in a form still asks to sign in again, and gives the form back', async () => {
    const own = await signInAs(ada);
    const { page, errors } = await openAs(browser(), gateway, own);
    await page.goto('/app/keys/new');
    await nameField(page).fill('Typed in a session that ended');
    await untilRead(page);
    await update(page);
    await own.person.ask({ method: 'POST', path: '/api/auth/logout', headers: own.bearer });
    await createButton(page).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(goodPassword);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await nameField(page).inputValue()).toBe('Typed in a session that ended');
    await createButton(page).click();
    await secret(page).waitFor();
    expect(errors).toEqual([]);
  });

  test('a page whose files are gone loads again by itself', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/keys');
    await untilRead(page);
    await update(page);
    // The page that answers has the new files.
    await page.route('**/app/connections', async (route) => {
      await page.unroute('**/assets/**');
      await route.continue();
    });
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
  });
});

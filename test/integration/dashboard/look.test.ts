import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { look } from '../../../src/look/look.ts';
import { describeInBrowser } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import { signUp } from '../../support/people/people.ts';
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

const PAGES = ['/app', '/verify#token=x', '/oauth/authorize?client_id=none', '/oauth/consent/none'];

const groundOf = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
const asRgb = (color: string) =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)).join(', ')})`;
const [light, dark] = look.colors.page.map(asRgb);

/** Expects pages of the dashboard and of the server to have one background. */
async function expectGround(page: Page, ground: string | undefined) {
  for (const path of PAGES) {
    await page.goto(path);
    await page.locator('h1').waitFor();
    expect(await groundOf(page), path).toBe(ground);
  }
}

describeInBrowser('the look of all pages', (browser) => {
  test('pages of the dashboard and of the server look alike, and follow the system', async () => {
    for (const [colorScheme, ground] of [
      ['light', light],
      ['dark', dark],
    ] as const) {
      const { page, context } = await openAs(browser(), gateway, ada, { colorScheme });
      await expectGround(page, ground);
      await context.close();
    }
  });

  test('a colour scheme that is chosen in the dashboard is that of the server’s pages', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada, { colorScheme: 'light' });
    const choose = async (name: string) => {
      await page.goto('/app');
      await page.getByRole('button', { name: 'Account menu' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Dark');
    await expectGround(page, dark);
    await choose('As the system');
    await expectGround(page, light);
    expect(errors).toEqual([]);
  });
});

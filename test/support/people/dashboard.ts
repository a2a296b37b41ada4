import { mkdirSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openTab } from './browser.ts';
import type { Tab } from './browser.ts';
import type { SignedUp } from './people.ts';
import type { Gateway } from '../worlds/world.ts';

/** Opens a tab of the dashboard in which a person is signed in; addresses can be relative. */
export async function openAs(
  browser: Browser,
  { config }: Pick<Gateway, 'config'>,
  { cookies }: Pick<SignedUp, 'cookies'>,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const url = config.PUBLIC_URL;
  const tab = await openTab(browser, { baseURL: url, ...options });
  await tab.context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
  return tab;
}

export type Look = readonly [colorScheme: 'light' | 'dark', width: number];

const someLooks: readonly Look[] = [
  ['light', 1440],
  ['dark', 390],
];
const otherLooks: readonly Look[] = [
  ['dark', 1440],
  ['light', 390],
];

/**
 * The looks in which views are examined: each scheme and each width once. All four take twice as
 * long, and are for nightly runs with `DASHBOARD_LOOKS=all`.
 */
export const looks: readonly Look[] =
  process.env['DASHBOARD_LOOKS'] === 'all' ? [...someLooks, ...otherLooks] : someLooks;

/** Opens a view of the dashboard, and waits until it is complete. */
export type ShowView = (page: Page) => Promise<unknown>;

const folder = process.env['DASHBOARD_PICTURES'];

/**
 * Expects every view to pass axe, to fit the width and to cause no error, in `looks`. Saves pictures if `DASHBOARD_PICTURES` names a folder.
 */
export async function expectAccessible(
  browser: Browser,
  gateway: Pick<Gateway, 'config'>,
  who: Pick<SignedUp, 'cookies'>,
  views: Readonly<Record<string, ShowView>>,
): Promise<void> {
  const problems: unknown[] = [];
  for (const [view, show] of Object.entries(views))
    for (const [colorScheme, width] of looks) {
      const name = `${view}-${colorScheme}-${width}`;
      const viewport = { width, height: 900 };
      const tab = await openAs(browser, gateway, who, { colorScheme, viewport });
      await show(tab.page);
      if (folder !== undefined) {
        mkdirSync(folder, { recursive: true });
        await tab.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
      }
      const { violations } = await new AxeBuilder({ page: tab.page }).analyze();
      problems.push(
        ...violations.map(({ id, nodes }) => [name, id, nodes.map(({ html }) => html)]),
        ...tab.errors.map((error) => [name, error]),
      );
      if ((await tab.page.evaluate('document.documentElement.scrollWidth')) !== width)
        problems.push([name, 'is wider than the screen']);
      await tab.context.close();
    }
  expect(problems).toEqual([]);
}

import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { findViolations } from './accessibility.ts';
import { openTab, openTabIn } from './browser.ts';
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
 * Expects every view to pass axe, to fit the width and to cause no error, by default in `looks`. A view is
 * opened once and then changes its look. Saves pictures if `DASHBOARD_PICTURES` names a folder.
 */
export async function expectAccessible(
  browser: Browser,
  gateway: Pick<Gateway, 'config'>,
  who: Pick<SignedUp, 'cookies'>,
  views: Readonly<Record<string, ShowView>>,
  options: { looks?: readonly Look[]; locale?: string } = {},
): Promise<void> {
  const { looks: examined = looks, ...context_options } = options;
  const problems: unknown[] = [];
  const { context } = await openAs(browser, gateway, who, context_options);
  for (const [view, show] of Object.entries(views)) {
    const { page, errors } = await openTabIn(context);
    await changeLook(page, examined[0]!);
    await show(page);
    for (const look of examined) {
      const name = [view, ...look].join('-');
      await changeLook(page, look);
      await savePicture(page, name);
      problems.push(...(await findViolations(page)).map((violation) => [name, violation]));
      if ((await page.evaluate('document.documentElement.scrollWidth')) !== look[1])
        problems.push([name, 'is wider than the screen']);
    }
    problems.push(...errors.map((error) => [view, error]));
    await page.close();
  }
  expect(problems).toEqual([]);
}

/** Expects a page to pass axe in the state that it is in, in both colour schemes. */
export async function expectStateAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findViolations(page), colorScheme).toEqual([]);
  }
}

/** The navigation slides out of a narrower page, whose layout is another one meanwhile. */
const TRANSITIONS_ENDED = `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished),
).then(() => {})`;

async function changeLook(page: Page, [colorScheme, width]: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  await page.evaluate(TRANSITIONS_ENDED);
}

async function savePicture(page: Page, name: string): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

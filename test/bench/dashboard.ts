import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { ensureDashboard } from '../../stack/dashboard.ts';
import { findChromium, SOFTWARE_RENDERING } from '../support/people/browser.ts';
import { createKey, signUp } from '../support/people/people.ts';
import type { SignedUp } from '../support/people/people.ts';
import { noopId, request } from './organizations/people.ts';
import type { Measured } from './organizations/people.ts';
import type { Target } from './targets.ts';
import { printTimings, timeInTurns } from './timings.ts';
import type { Timing } from './timings.ts';
import { median } from './turns.ts';

/** The CPU of a mid-tier phone, as Chromium's developer tools simulate it. */
const CPU_SLOWDOWN = 4;
const LOADS = 9;
const PREVIEWS = 60;
const ITEMS = 1_000;

/**
 * Measures what a person waits for: the keys page with an empty cache, each interaction with the
 * form of a key, and the preview of a draft that reaches 1,000 items.
 */
export async function measureDashboard(
  start: () => Promise<Measured & { gateway: { stop(): Promise<void> } }>,
): Promise<Target[]> {
  // A gateway serves the dashboard that it finds when it starts.
  await ensureDashboard(console.log);
  const on = await start();
  try {
    return await measureWith(on);
  } finally {
    await on.gateway.stop();
  }
}

async function measureWith(on: Measured): Promise<Target[]> {
  const owner = await signUp(on, on, 'dashboard');
  await request(owner, {
    method: 'PUT',
    path: '/api/me/mcp-settings',
    body: {
      tools: Array.from({ length: ITEMS }, (_, index) => noopId(index)),
      platform_prompts: [],
    },
  });
  await createKey(owner, { name: 'measured' });
  const preview = await timePreview(owner);
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('there is no Chromium');
  const browser = await chromium.launch({ executablePath, args: SOFTWARE_RENDERING });
  try {
    const load = await timeLoads(browser, on.url, owner);
    const interactions = await timeInteractions(browser, on.url, owner);
    printTimings([load, preview, interactions]);
    return [
      atMost('keys page usable, CPU slowed four times: ms', median(load.ms), 1_000),
      atMost('slowest interaction, CPU slowed four times: ms', Math.max(...interactions.ms), 100),
      atMost('preview of 1,000 items: ms at the 95th percentile', percentile95(preview), 200),
    ];
  } finally {
    await browser.close();
  }
}

const atMost = (name: string, value: number, limit: number): Target => ({
  ...{ name, value, limit, kind: 'at most' },
});

const percentile95 = ({ ms }: Timing): number =>
  ms.toSorted((one, other) => one - other)[Math.floor(0.95 * ms.length)]!;

async function timePreview(owner: SignedUp): Promise<Timing> {
  const body = { name: 'draft', mcp_capabilities: ['tools', 'prompts', 'resources'] };
  const run = () => request(owner, { method: 'POST', path: '/api/keys/preview', body });
  return (await timeInTurns([{ name: 'preview of a draft, 1,000 items', run }], PREVIEWS))[0]!;
}

/** Opens a tab in a profile of its own, with an empty cache and a slow CPU. */
async function openSlowTab(browser: Browser, url: string, { cookies }: SignedUp) {
  const context = await browser.newContext({ baseURL: url });
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return { page, close: () => context.close() };
}

async function openPage(page: Page, path: string): Promise<void> {
  const response = await page.goto(path);
  if (!response?.ok()) throw new Error(`${path} responds with ${response?.status()}`);
}

/** Reports when the first key was drawn; asking for it from outside would take the slow CPU. */
const REPORT_FIRST_KEY = `
  new MutationObserver((_changes, observer) => {
    if (![...document.links].some(({ textContent }) => textContent.includes('measured'))) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => reportDrawn(performance.now())));
  }).observe(document, { childList: true, subtree: true });`;

/** Times the keys page from the start of the navigation until its first key can be opened. */
async function timeLoads(browser: Browser, url: string, owner: SignedUp): Promise<Timing> {
  const ms: number[] = [];
  for (let load = 0; load <= LOADS; load += 1) {
    const { page, close } = await openSlowTab(browser, url, owner);
    const { promise: drawn, resolve } = Promise.withResolvers<number>();
    await page.exposeFunction('reportDrawn', resolve);
    await page.addInitScript(REPORT_FIRST_KEY);
    await openPage(page, '/app/keys');
    const drawnAt = await drawn;
    // The first load warms the gateway.
    if (load > 0) ms.push(drawnAt);
    await close();
  }
  return { name: 'keys page until a key can be opened', ms };
}

/** Returns how long the browser took from each input to the next picture (Event Timing). */
async function timeInteractions(browser: Browser, url: string, owner: SignedUp): Promise<Timing> {
  const { page, close } = await openSlowTab(browser, url, owner);
  await page.addInitScript(`
    globalThis.interactions = [];
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId > 0) interactions.push(duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });`);
  await openPage(page, '/app/keys/new');
  await page.getByRole('status').filter({ hasText: 'tools' }).first().waitFor();
  await fillForm(page);
  await page.waitForTimeout(1_000);
  const ms = await page.evaluate<number[]>('interactions');
  await close();
  return { name: 'interactions with the form of a key', ms: ms.length > 0 ? ms : [0] };
}

async function fillForm(page: Page): Promise<void> {
  await page.getByLabel('Name').click();
  await page.keyboard.type('nightly report', { delay: 100 });
  const unfold = (title: string) =>
    page.locator('summary').filter({ hasText: title }).first().click();
  await unfold('Permissions');
  const filter = page.getByRole('textbox', { name: /^Filter/ }).first();
  await filter.click();
  await page.keyboard.type('tools', { delay: 100 });
  await filter.clear();
  const boxes = page.getByRole('checkbox', { name: /^Create: / });
  for (const nth of [0, 1, 2]) await boxes.nth(nth).click();
}

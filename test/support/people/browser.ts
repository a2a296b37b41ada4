import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest';
import { findProgram } from '../../../stack/find-program.mjs';
import { installDebianPackages } from '../servers/debian-packages.ts';

// Playwright's own choice too: the same engine without the windows of a desktop browser, which it
// would draw for every tab.
const HEADLESS = 'chromium-headless-shell';
const OTHERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const ABSENT = 'there is no Chromium: put it in PATH, or name it in CHROMIUM_PATH';

/** Finds Chromium by CHROMIUM_PATH or in PATH; as root on Debian, installs its headless build. */
export function findChromium(): string | null {
  const named = process.env['CHROMIUM_PATH'] || findProgram([HEADLESS], process.env);
  if (named) return named;
  const names = installDebianPackages(HEADLESS) ? [HEADLESS] : OTHERS;
  return findProgram(names, process.env);
}

// Debian turns on rasterization by the GPU, which a machine without one emulates at great cost.
export const SOFTWARE_RENDERING = [
  '--disable-gpu',
  '--disable-gpu-compositing',
  '--disable-gpu-rasterization',
];

const executablePath = findChromium();

/** Defines tests that need a browser; without one, a single failed test gives the reason. */
export function describeInBrowser(title: string, define: (browser: () => Browser) => void): void {
  if (executablePath === null) {
    test(title, () => {
      throw new Error(ABSENT);
    });
    return;
  }
  describe(title, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: SOFTWARE_RENDERING });
    });
    afterAll(() => browser?.close());
    define(() => browser);
  });
}

/** A tab with its own browser profile, and a record of what it did. */
export interface Tab {
  page: Page;
  context: BrowserContext;
  /** URL and headers of every request the tab made. */
  requests: { url: string; headers: Record<string, string> }[];
  /** Content security policy violations, missing texts and uncaught script errors. */
  errors: string[];
}

/** Opens a tab that is closed at the end of the test. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  return openTabIn(context);
}

/** Opens a tab in a browser profile that exists. */
export async function openTabIn(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const tab: Tab = { page, context, requests: [], errors: [] };
  page.on('request', (request) => {
    tab.requests.push({ url: request.url(), headers: request.headers() });
  });
  page.on('pageerror', (error) => tab.errors.push(String(error)));
  page.on('console', (message) => {
    if (/content security policy|There is no text/i.test(message.text()))
      tab.errors.push(message.text());
  });
  return tab;
}

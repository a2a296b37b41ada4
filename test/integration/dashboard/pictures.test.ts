import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findViolations } from '../../support/people/accessibility.ts';
import { describeInBrowser } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import { ownAddresses } from '../../support/people/people.ts';
import { createAcme } from '../../support/worlds/acme.ts';
import type { Acme } from '../../support/worlds/acme.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
let acme: Acme;
beforeAll(async () => {
  world = await createWorld(ownAddresses);
  gateway = await world.gateway();
  acme = await createAcme(world, gateway);
}, 300_000);
afterAll(() => world?.close());

interface Picture {
  path(): string;
  /** A text of the page that is there once it is complete. */
  shows: string;
  colorScheme?: 'light' | 'dark';
  /** Of a phone; of a screen by default. */
  width?: 390;
}

const inside = (rest = '') => `/app/org/${acme.id}${rest}`;

/** The pictures of the documentation: pages that are full. */
const pictures: Readonly<Record<string, Picture>> = {
  overview: { path: () => '/app', shows: 'Latest refused or failed calls' },
  keys: { path: () => '/app/keys', shows: 'nightly-report', colorScheme: 'dark' },
  key: { path: () => `/app/keys/${acme.keys['nightly-report']}`, shows: 'Hidden items' },
  connect: { path: () => '/app/connect', shows: 'claude mcp add', colorScheme: 'dark' },
  usage: { path: () => '/app/usage', shows: 'get_order' },
  prompt: { path: () => '/app/prompts', shows: 'upgrade-guide', width: 390 },
  members: { path: () => inside('/members'), shows: 'hana@acme.example' },
  team: {
    path: () => inside(`/teams/${acme.teams['release']}?tab=policies`),
    shows: 'Only these',
    colorScheme: 'dark',
  },
  access: {
    path: () => inside('/access/who?permission=can_view_organization_api_keys'),
    shows: 'In total',
    colorScheme: 'dark',
  },
  role: { path: () => inside('/roles/new'), shows: 'OAuth clients' },
  'built-in-tools': { path: () => inside('/mcp'), shows: 'calculator', colorScheme: 'dark' },
};

// DOCS_PICTURES=docs/dashboard writes the pictures into the documentation.
const folder = process.env['DOCS_PICTURES'];
const MAX_BYTES = 120_000;

/** Returns the part of the page that is in view, as small as it can be read. */
async function takePicture({ page, context }: Tab): Promise<Buffer> {
  const devTools = await context.newCDPSession(page);
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  return Buffer.from(data, 'base64');
}

/** Waits until nothing of the page is being read any more. */
async function isComplete(page: Page, shows: string) {
  await page.getByText(shows).first().waitFor();
  await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0);
}

describeInBrowser('a page with the data of a company', (browser) => {
  test.each(Object.entries(pictures))(
    '%s is accessible, fits its screen and makes a small picture',
    async (name, { path, shows, colorScheme = 'light', width = 1_440 }) => {
      const viewport = { width, height: width === 390 ? 844 : 900 };
      const tab = await openAs(browser(), gateway, acme.people.ada, {
        ...{ colorScheme, viewport, reducedMotion: 'reduce' },
      });
      await tab.page.goto(path());
      await isComplete(tab.page, shows);

      expect(await findViolations(tab.page)).toEqual([]);
      expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(tab.errors).toEqual([]);
      const picture = await takePicture(tab);
      expect(picture.length).toBeLessThan(MAX_BYTES);
      if (folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${name}.webp`), picture);
    },
  );
});

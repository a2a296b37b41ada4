import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Tab } from '../../support/people/browser.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { findViolations } from '../../support/people/accessibility.ts';
import type { Gateway } from '../../support/worlds/world.ts';

const folder = process.env['DASHBOARD_PICTURES'];

interface View {
  name: string;
  path: string;
  width: number;
  colorScheme: 'light' | 'dark';
  /** Brings the page into the state that is looked at. */
  show?: ((page: Page) => Promise<unknown>) | undefined;
}

/** Opens pages of a gateway for a person, and asks the API for the same person. */
export function createContentPages(gateway: Gateway, { person, bearer, cookies }: SignedUp) {
  async function open({ page, context }: Tab, path: string): Promise<Page> {
    const url = gateway.config.PUBLIC_URL;
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
    await page.goto(`${url}${path}`);
    return page;
  }

  return {
    open,

    /** Sends a request below `/api/me`; throws unless it succeeds. */
    async ask<Body = { id: string; version: number }>(
      path: string,
      body?: object,
      method?: string,
    ): Promise<Body> {
      const answer = await person.ask<Body>({
        ...{ path: `/api/me/${path}`, headers: bearer },
        ...(body === undefined ? {} : { body }),
        ...(method === undefined ? {} : { method }),
      });
      if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },

    /** Opens a page and expects no violation of axe, no horizontal scrolling and no script error. */
    async requireAccessible(
      tab: Tab,
      { name, path, width, colorScheme, show }: View,
    ): Promise<void> {
      const page = await open(tab, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await show?.(page);
      const violations = await findViolations(page);
      if (folder !== undefined)
        await page.screenshot({
          path: `${folder}/content-${name}-${width}-${colorScheme}.png`,
          fullPage: true,
        });
      expect(violations, name).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
      expect(tab.errors, name).toEqual([]);
    },
  };
}
export type ContentPages = ReturnType<typeof createContentPages>;

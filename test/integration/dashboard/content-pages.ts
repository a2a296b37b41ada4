import type { Browser, Page } from 'playwright-core';
import type { Tab } from '../../support/people/browser.ts';
import { expectAccessible } from '../../support/people/dashboard.ts';
import type { SignedUp } from '../../support/people/people.ts';
import type { Gateway } from '../../support/worlds/world.ts';

/** Addresses of pages by name, and how to bring one into the state that is looked at. */
export type ContentViews = Readonly<
  Record<string, readonly [path: string, show?: (page: Page) => Promise<unknown>]>
>;

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

    /** Expects pages to be accessible in every look; some are first brought into a state. */
    requireAccessible: (browser: Browser, views: ContentViews) =>
      expectAccessible(
        browser,
        gateway,
        { cookies },
        Object.fromEntries(
          Object.entries(views).map(([name, [path, show]]) => [
            name,
            async (page: Page) => {
              await page.goto(path);
              await page.getByRole('heading', { level: 1 }).waitFor();
              await page.waitForLoadState('networkidle');
              await show?.(page);
            },
          ]),
        ),
      ),
  };
}
export type ContentPages = ReturnType<typeof createContentPages>;

/** Whether the field with the focus, and a message, are on the screen above the bar that saves. */
export async function focusIsSeen(page: Page, message: string): Promise<boolean> {
  const bar = await page.locator('.save-bar').boundingBox();
  const boxes = [page.locator(':focus'), page.getByText(message)].map((one) => one.boundingBox());
  return (await Promise.all(boxes)).every(
    (box) => box !== null && bar !== null && box.y >= 0 && box.y + box.height <= bar.y,
  );
}

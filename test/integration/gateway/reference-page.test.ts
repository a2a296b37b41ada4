import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { gateway } = await useGateway();

test('the HTML reference loads everything from our own origin', async () => {
  const start = await fetch(`${gateway.url}/docs/api`);
  const page = await start.text();
  expect([start.status, start.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/html/),
  ]);

  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
  expect(loaded).not.toEqual([]);
  for (const address of loaded) {
    const url = new URL(address, start.url);
    expect(url.origin, address).toBe(gateway.url);
    expect((await fetch(url)).status, address).toBe(200);
  }
  expect(page, 'nothing is imported from elsewhere').not.toMatch(
    /@import|url\(\s*["']?https?:|cdn\.jsdelivr|fonts\.(?:googleapis|scalar)/,
  );
});

test.each(['/docs/api/nothing', '/docs/api/js/nothing.js'])(
  '%s returns a 404 in the error envelope (decisions 2)',
  async (path) => {
    const response = await fetch(gateway.url + path);

    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      errors: [{ code: 'not_found', message: expect.any(String), detail: null }],
    });
  },
);

/** Buttons of the library that lead to its vendor or to the vendor's partners. */
const VENDOR =
  /scalar|\bAI\b|^(?:VS Code|Cursor|Generate MCP|Connect MCP|Developer Tools|Configure|Share|Deploy|Open API Client)$/i;

/** Opens a tag, whose operations are rendered only then. */
const openSignIn = (page: Page) => page.getByText('Sign-in', { exact: true }).first().click();

describeInBrowser('the reference in Chromium', (browser) => {
  test('shows its operations, and an injected inline script does not run (rel:B6-7)', async () => {
    const { page, errors } = await openTab(browser());

    await page.goto(`${gateway.url}/docs/api/`);
    await openSignIn(page);
    await page.getByText('Sign in with a password').first().waitFor();
    expect(errors).toEqual([]);
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'document.title = "taken over"';
      document.body.append(script);
    }`);

    expect(await page.title()).not.toBe('taken over');
    expect(errors).toHaveLength(1);
  });

  test('does not advertise services of its vendor, not even in the request client', async () => {
    const { page, requests } = await openTab(browser());
    const expectNoVendor = async () => {
      for (const link of await page.locator('a[href]:visible').all())
        expect(new URL((await link.getAttribute('href'))!, page.url()).origin).toBe(gateway.url);
      const buttons = page.getByRole('button', { name: VENDOR });
      expect(await buttons.allInnerTexts()).toEqual([]);
      expect(
        await page
          .getByText(/powered by/i)
          .filter({ visible: true })
          .count(),
      ).toBe(0);
    };

    await page.goto(`${gateway.url}/docs/api/`);
    await openSignIn(page);
    const tryOut = page.getByRole('button', { name: /^Test Request/ }).first();
    await tryOut.waitFor();
    await expectNoVendor();
    await tryOut.dispatchEvent('click');
    await page.getByRole('button', { name: /^Send/ }).first().waitFor();
    await expectNoVendor();

    for (const { url } of requests) expect(new URL(url).origin).toBe(gateway.url);
  });
});

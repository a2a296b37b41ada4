import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectAccessible } from '../../support/people/dashboard.ts';
import { selectTools, signUp } from '../../support/people/people.ts';
import { addItems, press, start } from '../../support/people/trying.ts';
import { useWorld } from '../../support/worlds/world.ts';

describeInBrowser('the page on which tools are tried', (browser) => {
  test('its views are accessible and fit the screen', { timeout: 240_000 }, async () => {
    const world = await useWorld();
    const gateway = await world.gateway();
    const ada = await signUp(world, gateway);
    await selectTools(ada, ['calculator', 'hash']);
    await addItems(ada);
    const show = (item: string, then?: (page: Page) => Promise<unknown>) => async (page: Page) => {
      await page.goto(`/app/try${item}`);
      await page.getByRole('button', { name: 'Allow and start' }).waitFor();
      if (then === undefined) return;
      await start(page);
      await then(page);
    };
    const call = async (page: Page) => {
      await press(page, 'Call (uses quota)');
      await page.getByLabel('The answer exactly as returned').waitFor();
    };
    await expectAccessible(browser(), gateway, ada, {
      'try-start': show(''),
      'try-list': show('?family=prompt', (page) => page.getByRole('listitem').first().waitFor()),
      'try-refused': show('?family=tool&item=calculator', call),
      'try-result': show('?family=tool&item=hash', async (page) => {
        await page.getByLabel('text').fill('Some text');
        await call(page);
      }),
      'try-form': show('?family=tool&item=book', (page) =>
        page.getByRole('button', { name: 'Add an entry' }).click(),
      ),
      'try-callback': async (page) => {
        await page.goto('/app/try/callback?state=s&code=c');
        await page.getByRole('button', { name: 'Close window' }).waitFor();
        expect(new URL(page.url()).search).toBe('');
      },
    });
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAuthenticator } from '../../support/people/browser-passkeys.ts';
import { findViolations } from '../../support/people/accessibility.ts';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { looks } from '../../support/people/dashboard.ts';
import { goodPassword, signInAs, signUp } from '../../support/people/people.ts';
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
  await signInAs(ada);
});
afterAll(() => world?.close());

const goTo = ({ page }: Tab, path: string) => page.goto(`${gateway.config.PUBLIC_URL}${path}`);

async function reauthenticate({ page }: Tab) {
  await page.getByRole('textbox', { name: 'Your password' }).fill(goodPassword);
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Opens each state of the pages in turn; the tab is signed in after the first. */
const views: Record<string, (tab: Tab) => Promise<unknown>> = {
  async 'sign-in'(tab) {
    await goTo(tab, '/sign-in');
    await tab.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  },
  async profile(tab) {
    const url = gateway.config.PUBLIC_URL;
    await tab.context.addCookies([...ada.cookies].map(([name, value]) => ({ name, value, url })));
    await goTo(tab, '/app/settings');
    await tab.page.getByLabel('First name').fill('A'.repeat(101));
    await tab.page.getByRole('button', { name: 'Save' }).click();
    await tab.page.getByText('Must have at most 100 characters').waitFor();
  },
  async security(tab) {
    await goTo(tab, '/app/settings/security');
    await tab.page.getByText('this service offers no provider').waitFor();
    await tab.page.getByRole('button', { name: 'Set up the app' }).waitFor();
  },
  async 'wrong password'({ page }) {
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('textbox', { name: 'Your password' }).fill('wrong');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This is not your password.').waitFor();
  },
  async 'recovery codes or a passkey'(tab) {
    await reauthenticate(tab);
    await tab.page.getByRole('button', { name: 'Remove Chrome, Linux' }).last().waitFor();
  },
  async 'authenticator app'(tab) {
    await goTo(tab, '/app/settings/security');
    await tab.page.getByRole('button', { name: 'Set up the app' }).click();
    await reauthenticate(tab);
    await tab.page.getByRole('img', { name: 'QR code' }).waitFor();
  },
  async sessions(tab) {
    await goTo(tab, '/app/settings/sessions');
    await tab.page.getByText('This session').waitFor();
  },
  async audit(tab) {
    await goTo(tab, '/app/settings/audit');
    await tab.page.locator('summary').first().click();
    await tab.page.getByText('presence.refuse').first().waitFor();
  },
  async 'audit without entries'(tab) {
    await goTo(tab, '/app/settings/audit?action=key.');
    await tab.page.getByText('No entry matches these filters.').waitFor();
  },
  async data(tab) {
    await goTo(tab, '/app/settings/data');
    await tab.page.getByRole('button', { name: 'Download JSON' }).waitFor();
  },
  async 'deletion dialog'({ page }) {
    await page.getByRole('button', { name: 'Delete account …' }).click();
    await page.getByText('We cannot restore a deleted account.').waitFor();
  },
};

describeInBrowser('the pages of the settings', (browser) => {
  test.each(looks)(
    'every view passes axe and fits the screen: %s, %i wide',
    async (colorScheme, width) => {
      const tab = await openTab(browser(), {
        ...{ colorScheme, viewport: { width, height: 900 }, reducedMotion: 'reduce' },
      });
      await addAuthenticator(tab);
      for (const [view, show] of Object.entries(views)) {
        await show(tab);
        // Texts fade in.
        await tab.page.waitForTimeout(300);
        expect.soft(await findViolations(tab.page), view).toEqual([]);
        expect
          .soft(await tab.page.evaluate('document.documentElement.scrollWidth'), view)
          .toBe(width);
      }
      expect(tab.errors).toEqual([]);
    },
    120_000,
  );
});

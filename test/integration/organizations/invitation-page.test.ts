import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { texts } from '../../../src/texts/texts.ts';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { invited } from '../../support/people/invitations.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);

async function createInvitation(name: string) {
  const [owner, ada] = [await signUp(world, gateway, 'owner'), await signUp(world, gateway)];
  const { id } = await createOrganization(owner, name);
  const { token } = await invited(world, owner, { id, email: ada.email });
  return { id, ada, link: `${gateway.config.PUBLIC_URL}/invite#token=${token}` };
}

describeInBrowser('in Chromium', (browser) => {
  const status = (page: Page) => page.getByRole('status');
  const button = (page: Page) => page.getByRole('button');
  const pageTexts = texts.en.pages;

  async function openAs(who: SignedUp | null, link: string) {
    const tab = await openTab(browser());
    const cookies = [...(who?.cookies ?? [])].map(([name, value]) => ({ name, value }));
    await tab.context.addCookies(
      cookies.map((one) => ({ ...one, url: gateway.config.PUBLIC_URL })),
    );
    await tab.page.goto(link);
    return tab;
  }

  test('the page shows the inviter and the organization as plain text, and joining takes one click and leads there', async () => {
    const name = '<b>Acme</b> & Co';
    const { id, ada, link } = await createInvitation(name);
    const { page, errors } = await openAs(ada, link);

    await expect
      .poll(() => page.locator('dd').allTextContents())
      .toEqual([...[name, 'Ada Lovelace', ada.email]]);
    await button(page).click();

    await expect.poll(() => status(page).textContent()).toBe(pageTexts.invite.done);
    expect(await page.getByRole('link').getAttribute('href')).toBe(`/app/org/${id}`);
    expect(errors).toEqual([]);
  });

  test('without a session the page says how to sign in or register', async () => {
    const { link } = await createInvitation('Acme');
    const { page } = await openAs(null, link);
    await button(page).click();

    await expect
      .poll(() => status(page).textContent())
      .toBe(pageTexts.errors.authentication_required);
    expect(await page.getByRole('link').isVisible()).toBe(true);
  });

  test('a link that no longer works shows no form', async () => {
    const { page } = await openAs(null, `${gateway.config.PUBLIC_URL}/invite#token=gone`);

    await expect.poll(() => status(page).textContent()).toBe(pageTexts.errors.token_invalid);
    expect(await button(page).isVisible()).toBe(false);
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { connectSdkV2 } from '../../support/clients/sdk-v2.ts';
import { createPerson, goodPassword, newEmail, tokenOf } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
});
afterAll(() => world?.close());

describeInBrowser('the first path through the dashboard', (browser) => {
  test('from signing up to a revoked key takes six clicks after signing in', async () => {
    const { page, errors } = await openTab(browser());
    const email = newEmail();
    let clicks = 0;
    const click = async (role: 'button' | 'link' | 'checkbox', name: string) => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).click();
    };

    await page.goto(`${gateway.config.PUBLIC_URL}/sign-up`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('textbox', { name: /^Password/ }).fill(goodPassword);
    await click('button', 'Create account');
    await page.getByText('Check your mail').waitFor();
    await page.goto(
      `${gateway.config.PUBLIC_URL}/verify#token=${tokenOf(await world.mailbox.next(email))}`,
    );
    await page.getByRole('button').click();
    await page.getByText(/./).first().waitFor();
    await page.goto(gateway.config.PUBLIC_URL);
    await page.waitForURL('**/sign-in**');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('textbox', { name: /^Password/ }).fill(goodPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/app');

    clicks = 0;
    await click('button', 'Select all tools');
    await page.getByText(/built-in tools are selected/).waitFor();
    await click('link', 'Create a key');
    await page
      .getByRole('status')
      .filter({ hasText: /\d+ tools, \d+ prompts/ })
      .waitFor();
    await click('button', 'Create key');
    const secret = await page.getByRole('dialog').getByLabel('Secret of the key').inputValue();
    await click('checkbox', 'I have stored this');
    await click('button', 'Continue to Connect');
    await page.getByText('Waiting for the first request').waitFor();

    const connect = connectSdkV2('legacy', '2025-11-25');
    const client = await connect(`${gateway.url}/mcp`, secret);
    expect((await client.toolNames()).length).toBeGreaterThan(3);
    await page.getByText('First request seen').waitFor();

    await click('button', 'Revoke');
    await page.getByLabel('Type My agent to confirm').fill('My agent');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/keys');
    await expect(client.toolNames()).rejects.toThrow();
    expect(clicks).toBeLessThanOrEqual(6);
    expect(errors).toEqual([]);
  });

  test('a sign-in before the address is confirmed offers the link again; a wrong password does not', async () => {
    const { page } = await openTab(browser());
    const email = newEmail();
    await createPerson(gateway.url).register({ email });
    await world.mailbox.next(email);
    const resend = page.getByRole('button', { name: 'Send the link again' });
    const signIn = async (password: string) => {
      await page.getByRole('textbox', { name: /^Password/ }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };

    await page.goto(`${gateway.config.PUBLIC_URL}/sign-in`);
    await page.getByLabel('E-mail address').fill(email);
    await signIn('quartz meadow tunnel 19');
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    expect(await resend.count()).toBe(0);
    await signIn(goodPassword);
    await resend.click();
    await page.getByText('a new link is on its way').waitFor();

    expect(tokenOf(await world.mailbox.next(email))).toBeTruthy();
  });
});

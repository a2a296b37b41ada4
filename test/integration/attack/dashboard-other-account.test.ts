import { expect, test } from 'vitest';
import { describeInBrowser, openTabIn } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import { askAs } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway, 'ada');
const ben = await signUp(world, gateway, 'ben');

const serversOf = async (who: SignedUp) =>
  (await askAs<{ data: { name: string }[] }>(who, { path: '/api/me/upstreams' })).body.data.map(
    ({ name }) => name,
  );

describeInBrowser('a page that stays open while another account signs in', (browser) => {
  test('a form that one account filled, with its secret, is not saved in the account that signed in meanwhile in another tab', async () => {
    const { page, context } = await openAs(browser(), gateway, ada);
    await page.goto('/app/tools/upstreams/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('adas-server');
    await page
      .getByRole('textbox', { name: 'Address', exact: true })
      .fill('https://mcp.example.com/mcp');

    // Another tab of the same browser: Ada signs out, and Ben signs in.
    const other = (await openTabIn(context)).page;
    await other.goto('/app');
    await other.getByRole('button', { name: 'Account menu' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.waitForURL('**/sign-in');
    await other.getByRole('textbox', { name: 'E-mail address' }).fill(ben.email);
    await other.locator('input[name=password]').fill(ben.password);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.waitForURL('**/app');

    await page.bringToFront();
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByRole('textbox', { name: 'Name of header 1' }).fill('authorization');
    await page.getByLabel('Value of header authorization').fill('Bearer ada-secret');
    await page.getByRole('button', { name: 'Add a server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('button', { name: 'Continue', exact: true }).click();
    await dialog.getByRole('alert').filter({ hasText: 'another account' }).waitFor();
    expect(await serversOf(ben)).toEqual([]);
  });
});

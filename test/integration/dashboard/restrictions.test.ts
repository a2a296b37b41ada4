import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { expectAccessible, openAs } from '../../support/people/dashboard.ts';
import { askAs } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const support = await closeAfterTests(createConnectionsSupport(world, gateway));
const ada = await signUp(world, gateway);
const connection = await support.authorize(
  await support.client({ owner: { account_id: ada.account_id }, scopes: ['mcp_tools'] }),
  ada,
);
const NEW_KEY = '/app/keys/new';
const CONNECTION = `/app/connections/${connection}`;

interface Stored {
  id: string;
  name: string;
  allowed_addresses: unknown;
  hours: unknown;
}
async function storedIn(path: string, name: string): Promise<Stored | undefined> {
  const { body } = await askAs<{ data: Stored[] }>(ada, { path });
  return body.data.find((one) => one.name === name || one.id === name);
}

async function enterAddress(page: Page, address: string) {
  await page.getByRole('combobox', { name: 'Allowed addresses' }).fill(address);
  await page.keyboard.press('Enter');
}

/** Chooses the hours of a night in Madrid, on Friday. */
async function chooseNight(page: Page) {
  await page.getByRole('checkbox', { name: 'Only at certain hours' }).check();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Madrid');
  await page.keyboard.press('Escape');
  const hours = page.getByRole('group', { name: 'Hours 1' });
  for (const day of ['Mon', 'Tue', 'Wed', 'Thu']) await hours.getByLabel(day).uncheck();
  await hours.getByLabel('From').fill('22:00');
  await hours.getByLabel('Until').fill('06:00');
  await hours.getByText('On the next day').waitFor();
}

const NIGHT = {
  zone: 'Europe/Madrid',
  windows: [{ days: ['fri'], from: '22:00', to: '06:00' }],
};

const openSection = (page: Page) =>
  page.locator('summary').filter({ hasText: 'Where and when it works' }).click();

describeInBrowser('the restrictions of credentials', (browser) => {
  test('a key is created for some addresses and hours, and loses them again', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto(NEW_KEY);
    await page.getByLabel('Name').fill('Restricted');
    await openSection(page);
    await enterAddress(page, '192.0.2.9/24');
    await chooseNight(page);
    await page.getByText('From some addresses only, At some hours only').waitFor();
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await storedIn('/api/keys', 'Restricted')).toMatchObject({
      allowed_addresses: ['192.0.2.0/24'],
      hours: NIGHT,
    });

    const { id } = (await storedIn('/api/keys', 'Restricted'))!;
    await page.goto(`/app/keys/${id}`);
    await openSection(page);
    await page.getByRole('checkbox', { name: 'Only at certain hours' }).uncheck();
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect
      .poll(async () => (await storedIn('/api/keys', 'Restricted'))?.hours, { timeout: 10_000 })
      .toBeNull();
    expect(errors).toEqual([]);
  });

  test('what is not an address is refused at its field', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(CONNECTION);
    await enterAddress(page, 'office');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('must be an IP address or a CIDR range', { exact: false }).waitFor();
    expect((await storedIn('/api/me/connections', connection))?.allowed_addresses).toBeNull();
  });

  test('a connection is restricted on its page', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto(CONNECTION);
    await enterAddress(page, '2001:DB8::/32');
    await chooseNight(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: false }).waitFor();
    expect(await storedIn('/api/me/connections', connection)).toMatchObject({
      allowed_addresses: ['2001:db8::/32'],
      hours: NIGHT,
    });
    expect(errors).toEqual([]);
  });

  test('the fields pass axe and fit phones', async () => {
    await expectAccessible(browser(), gateway, ada, {
      'restricted-key': async (page) => {
        await page.goto(NEW_KEY);
        await openSection(page);
        await enterAddress(page, '192.0.2.0/24');
        await chooseNight(page);
        await page.getByRole('button', { name: 'Add hours' }).click();
      },
      'restricted-connection': async (page) => {
        await page.goto(CONNECTION);
        await page.getByRole('checkbox', { name: 'Only at certain hours' }).waitFor();
      },
    });
  });
});

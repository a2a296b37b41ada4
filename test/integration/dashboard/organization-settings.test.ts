import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { expectAccessible, openAs as openTabAs } from '../../support/people/dashboard.ts';
import { askAs, createJoins, createOrganization } from '../../support/people/organizations.ts';
import { goodPassword, ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const joins = await closeAfterTests(createJoins(gateway));
const ada = await signUp(world, gateway, 'ada');
const ben = await signUp(world, gateway, 'ben');
const { id } = await createOrganization(ada);
await joins.add(id, ben);
await gateway.service.organizations.setPlan(id, 'enterprise');

const inside = (rest = '') => `/app/org/${id}${rest}`;
async function openAs(browser: Browser, who: SignedUp, rest: string): Promise<Tab> {
  const tab = await openTabAs(browser, gateway, who);
  await tab.page.goto(inside(rest));
  await tab.page.locator('h1').waitFor();
  return tab;
}

describeInBrowser('settings of an organization in the dashboard', (browser) => {
  test.each(['/settings', '/billing', '/sso'])('%s has no accessibility problem', (place) =>
    expectAccessible(browser(), gateway, ada, {
      [`org-settings-${place.slice(1)}`]: async (page) => {
        await page.goto(inside(place));
        await page.waitForLoadState('networkidle');
        expect(await page.getByText('This page could not be shown').count()).toBe(0);
      },
    }),
  );

  test('the Owner changes the billing contact; a wrong address is shown at its field', async () => {
    const { page } = await openAs(browser(), ada, '/billing');
    const email = page.getByLabel('E-mail address for invoices');
    await email.fill('nobody');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    await email.fill('billing@acme.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The billing contact is changed.').waitFor();
  });

  test('domains, identity providers and directories are added with the password', async () => {
    const { page } = await openAs(browser(), ada, '/sso');
    const password = page.getByRole('textbox', { name: 'Your password' });
    const confirm = async () => {
      await password.fill(goodPassword);
      await page.keyboard.press('Enter');
      await password.waitFor({ state: 'detached' });
    };
    await page.getByRole('textbox', { name: 'Domain', exact: true }).fill('acme.example');
    await page.getByRole('button', { name: 'Claim domain' }).click();
    await confirm();
    await page.getByText('Publish this TXT record, then verify:').waitFor();

    await page.getByRole('button', { name: 'Create a SCIM token' }).click();
    await confirm();
    const token = page.getByRole('dialog').getByLabel('SCIM token', { exact: true });
    expect((await token.inputValue()).length).toBeGreaterThan(20);
    await page.getByRole('checkbox', { name: 'I have stored this' }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke SCIM' }).waitFor();

    await page.getByRole('button', { name: 'Add an identity provider' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Okta');
    await dialog.getByLabel('Issuer').fill('https://acme.example/oidc');
    await dialog.getByLabel('Client id').fill('toolgate');
    await dialog.getByLabel('Client secret').fill('a secret of the provider');
    await dialog.getByRole('button', { name: 'Add an identity provider' }).click();
    await page.getByRole('textbox', { name: 'Your password' }).fill(goodPassword);
    await page.keyboard.press('Enter');
    await page.getByText('Callback URL to register at the provider').waitFor();

    // An edit sends only what changed: the secret stays as it is.
    await page.getByRole('button', { name: 'Edit Okta' }).click();
    await name.fill('Okta of Acme');
    await dialog.getByRole('checkbox', { name: 'Admin' }).check();
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect(Object.keys((await sent).postDataJSON())).toEqual(['name', 'role_ids']);
    await confirm();
    await page.getByRole('button', { name: 'Edit Okta of Acme' }).waitFor();
    await page.getByRole('button', { name: 'Edit Okta of Acme' }).click();
    await dialog.getByLabel('Issuer').fill('not an address');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('input:focus[aria-invalid=true]').waitFor();
  });

  test('the Owner transfers the organization, and the new one deletes it', async () => {
    const { page } = await openAs(browser(), ada, '/settings');
    await page.getByRole('button', { name: 'Transfer ownership' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Member' }).fill(ben.email.slice(0, 10));
    await page.getByRole('option', { name: ben.email }).click();
    await dialog.getByLabel('Type Acme to confirm').fill('Acme');
    await dialog.getByRole('button', { name: 'Transfer ownership' }).click();
    await page.getByRole('textbox', { name: 'Your password' }).fill(goodPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Leave organization' }).waitFor();

    const { page: bens } = await openAs(browser(), ben, '/settings');
    await bens.getByRole('button', { name: 'Delete organization' }).click();
    await bens.getByLabel('Type Acme to confirm').fill('Acme');
    await bens.keyboard.press('Enter');
    await bens.getByRole('textbox', { name: 'Your password' }).fill(goodPassword);
    await bens.keyboard.press('Enter');
    await bens.waitForURL('**/app');
    expect((await askAs(ben, { path: `/api/organizations/${id}` })).status).toBe(404);
  });
});

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { addAuthenticator } from '../../support/people/browser-passkeys.ts';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { codeOf } from '../../support/people/factors.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { goodPassword, newEmail, signInAs, signUp, tokenOf } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { removePassword } from '../../support/people/without-password.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();

/** Opens a page of the settings as a person. */
async function open(tab: Tab, { cookies }: Pick<SignedUp, 'cookies'>, path = ''): Promise<void> {
  const url = gateway.config.PUBLIC_URL;
  await tab.context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
  await tab.page.goto(`${url}/app/settings${path}`);
}

/** Answers the dialog that asks for the password. */
async function reauthenticate({ page }: Tab, password = goodPassword): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByRole('textbox', { name: 'Your password' }).fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
}

describeInBrowser('the settings of an account', (browser) => {
  test('names and the language of e-mails are saved; a wrong name is an error at its field', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    await open(tab, await signUp(world, gateway));
    const name = page.getByLabel('First name');
    await name.fill('A'.repeat(101));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must have at most 100 characters').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');

    await name.fill('Grace');
    const languages = page.getByLabel('E-mail language');
    expect(await languages.locator('option').count()).toBe(42);
    await languages.selectOption('de');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your profile is saved.').waitFor();
    await page.reload();
    expect(await name.inputValue()).toBe('Grace');
    expect(await languages.inputValue()).toBe('de');
    expect(tab.errors).toEqual([]);
  });

  test('a new address needs the password, and is shown as pending until its link is opened', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    const ada = await signUp(world, gateway);
    await open(tab, ada);
    const email = newEmail('new');
    await page.getByLabel('New e-mail address').fill(email);
    await page.getByRole('button', { name: 'Send a link' }).click();
    await reauthenticate(tab, 'not the password');
    await page.getByText('This is not your password.').waitFor();
    await reauthenticate(tab);
    await page.getByRole('status').filter({ hasText: email }).waitFor();

    const token = tokenOf(await world.mailbox.next(email));
    await ada.person.ask({ path: '/api/user/email/confirm', body: { token } });
    await page.getByText(`Your address is ${email}.`).waitFor();
    expect(await page.getByRole('status').count()).toBe(0);
  });

  test('a closed dialog changes nothing, and says so', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    await open(tab, await signUp(world, gateway), '/security');
    await page.getByRole('textbox', { name: /^New password/ }).fill('violet harbour 99 stones');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').filter({ hasText: 'Nothing was changed' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test('a changed password ends the other sessions; a weak one is an error at its field', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    const ada = await signUp(world, gateway);
    const other = await signInAs(ada);
    await open(tab, ada, '/security');
    const field = page.getByRole('textbox', { name: /^New password/ });
    await field.fill('passwordpassword');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('This password is easy to guess.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');

    await field.fill('violet harbour 99 stones');
    await page.getByRole('button', { name: 'Change password' }).click();
    await reauthenticate(tab);
    await page.getByText('Your password is changed.').waitFor();
    const { status } = await other.person.ask({ path: '/api/user/profile', headers: other.bearer });
    expect(status).toBe(401);
    expect(tab.errors).toEqual([]);
  });

  test('one session is ended, then all others', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    const ada = await signUp(world, gateway);
    for (let others = 0; others < 3; others += 1) await signInAs(ada);
    await open(tab, ada, '/sessions');
    const rows = page.getByRole('main').getByRole('listitem');
    await page.getByText('This session').waitFor();
    expect(await rows.count()).toBe(4);
    await page.getByRole('button', { name: 'End the session of' }).first().click();
    await page.getByText('The session has ended.').waitFor();
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByText('2 other sessions have ended.').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
  });

  test('an authenticator app is turned on with its code, shows recovery codes once, and is removed', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    await open(tab, await signUp(world, gateway), '/security');
    await page.getByRole('button', { name: 'Set up the app' }).click();
    await reauthenticate(tab);
    await page.getByRole('img', { name: 'QR code with the key for your app' }).waitFor();
    const secret = await page.getByLabel('Key', { exact: true }).inputValue();
    const code = page.getByLabel('Code from the app');
    await code.fill('12');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await expect.poll(() => code.getAttribute('aria-invalid')).toBe('true');
    await code.fill(codeOf(secret));
    await page.getByRole('button', { name: 'Turn on' }).click();
    const codes = page.getByRole('dialog', { name: 'Your recovery codes' });
    expect((await codes.getByRole('textbox').inputValue()).split('\n')).toHaveLength(10);
    await codes.getByLabel('I have stored this').check();
    await codes.getByRole('button', { name: 'Done' }).click();
    await page.getByText('10 codes are left.').waitFor();

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel('Type authenticator app to confirm').fill('authenticator app');
    await page.getByRole('button', { name: 'Remove app' }).click();
    await reauthenticate(tab);
    await page.getByRole('button', { name: 'Set up the app' }).waitFor();
    expect(tab.errors).toEqual([]);
  });

  test('a passkey is added, renamed, signs in, and is removed', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    await addAuthenticator(tab);
    await open(tab, await signUp(world, gateway), '/security');
    await page.getByLabel('Name of the new passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await reauthenticate(tab);
    await page.getByLabel('I have stored this').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Rename Laptop' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Old laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove Old laptop' }).waitFor();

    await tab.context.clearCookies();
    await page.goto(`${gateway.config.PUBLIC_URL}/sign-in?to=%2Fapp%2Fsettings%2Fsecurity`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Remove Old laptop' }).click();
    await page.getByLabel('Type Old laptop to confirm').fill('Old laptop');
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await reauthenticate(tab);
    await page.getByText('You have no passkey yet.').waitFor();
    expect(tab.errors).toEqual([]);
  });

  test('an account without a password signs in again with a passkey to change something', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    await addAuthenticator(tab);
    const ada = await signUp(world, gateway);
    await open(tab, ada, '/security');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await reauthenticate(tab);
    await page.getByLabel('I have stored this').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await removePassword(world, ada.account_id);
    await world.query(
      "UPDATE account_session SET auth_time = now() - interval '1 hour' WHERE account_id = $1",
      [ada.account_id],
    );
    await page.getByRole('button', { name: 'Set up the app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'more than ten minutes ago' }).waitFor();
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('img', { name: 'QR code with the key for your app' }).waitFor();
    expect(tab.errors).toEqual([]);
  });

  test('a linked account is listed; the last way to sign in cannot be unlinked, and the dialog says so', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    const ada = await signUp(world, gateway);
    await removePassword(world, ada.account_id);
    await open(tab, ada, '/security');
    const unlink = page.getByRole('button', { name: /^Unlink / });
    const name = (await unlink.getAttribute('aria-label'))!.replace('Unlink ', '');
    await unlink.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    await dialog.getByRole('button', { name: 'Unlink' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'last_way_in' }).waitFor();
  });

  test('the only owner of an organization is told which keeps the account', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    const ada = await signUp(world, gateway);
    const { id, name } = await createOrganization(ada);
    await open(tab, ada, '/data');
    await page.getByRole('button', { name: 'Delete account …' }).click();
    await page.getByLabel(`Type ${ada.email} to confirm`).fill(ada.email);
    await page.getByRole('button', { name: 'Delete account', exact: true }).click();
    await reauthenticate(tab);
    const link = page.getByRole('dialog').getByRole('link', { name });
    expect(await link.getAttribute('href')).toBe(`/app/org/${id}`);
  });

  test('the audit log is filtered by its address, and is a file', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    await open(tab, await signUp(world, gateway), '/audit');
    await page.getByText('session.create').waitFor();
    await page.getByLabel('Actions').selectOption('account.');
    await page.waitForURL('**/audit?action=account.');
    await expect.poll(() => page.getByText('session.create').count()).toBe(0);
    await page.getByText('account.verify').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const csv = await readFile(await file.path(), 'utf8');
    expect(csv).toContain('account.verify');
    expect(csv).not.toContain('session.create');

    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('To').fill('2020-01-02');
    await page.getByText('No entry matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('session.create').waitFor();
  });

  test('an account is exported, then deleted once its address was typed', async () => {
    const tab = await openTab(browser());
    const { page } = tab;
    const ada = await signUp(world, gateway);
    await open(tab, ada, '/data');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download JSON' }).click(),
    ]);
    expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({
      account: { email: ada.email },
    });
    await page.getByRole('button', { name: 'Delete account …' }).click();
    const action = page.getByRole('button', { name: 'Delete account', exact: true });
    expect(await action.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${ada.email} to confirm`).fill(ada.email);
    await action.click();
    await reauthenticate(tab);
    await page.waitForURL('**/sign-in');
    await page.getByText('Your account is deleted.').waitFor();
    expect(await world.query('SELECT FROM account WHERE id = $1', [ada.account_id])).toEqual([]);
    expect(tab.errors).toEqual([]);
  });
});

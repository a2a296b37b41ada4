import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { expectAccessible, openAs as openTabAs } from '../../support/people/dashboard.ts';
import { askAs, createJoins, createOrganization } from '../../support/people/organizations.ts';
import { newEmail, ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const joins = await closeAfterTests(createJoins(gateway));
const ada = await signUp(world, gateway, 'ada');
const ben = await signUp(world, gateway, 'ben');
const cleo = await signUp(world, gateway, 'cleo');
const { id } = await createOrganization(ada);
await createTeam(ada, id, 'release');
for (const member of [ben, cleo]) await joins.add(id, member);

async function openAs(browser: Browser, who: SignedUp, path: string): Promise<Tab> {
  const tab = await openTabAs(browser, gateway, who);
  await tab.page.goto(path);
  await tab.page.locator('h1').waitFor();
  return tab;
}

const inside = (rest = '') => `/app/org/${id}${rest}`;

describeInBrowser('organizations in the dashboard', (browser) => {
  test('a person creates an organization, and changes between it and their own space', async () => {
    const { page, errors } = await openAs(browser(), cleo, '/app');
    await page.getByRole('button', { name: 'Change space: Personal space' }).click();
    await page.getByRole('menuitem', { name: 'Create organization' }).click();
    await page.getByLabel('Name').fill(' ');
    await page.getByRole('button', { name: 'Create organization' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await page.getByText(/must/).waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await name.fill('Northwind');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByRole('heading', { level: 1, name: 'Northwind' }).waitFor();
    await page.getByRole('button', { name: 'Change space: Northwind' }).click();
    await page.getByRole('menuitem', { name: 'Personal space' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('a place without permission names the permission, and is not in the navigation', async () => {
    const { page } = await openAs(browser(), ben, inside('/members'));
    await page
      .getByRole('alert')
      .filter({ hasText: 'You need the permission “Members: View” in Acme. Ask an owner.' })
      .waitFor();
    const navigation = page.getByRole('navigation', { name: 'Menu' });
    expect(await navigation.getByRole('link', { name: 'Members' }).count()).toBe(0);
    expect(await navigation.getByRole('link', { name: 'Overview' }).count()).toBe(1);
  });

  test('an organization of others does not exist', async () => {
    const { page } = await openAs(browser(), cleo, '/app/org/00000000-0000-4000-8000-000000000000');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  test('an Owner sees what a new role gives a member before saving it', async () => {
    const { page } = await openAs(browser(), ada, inside('/members'));
    await page.getByRole('textbox', { name: 'Search' }).fill(ben.email.slice(0, 12));
    await page.getByRole('link', { name: ben.email }).click();
    await page.getByRole('checkbox', { name: 'Admin' }).check();
    await page
      .getByRole('region', { name: 'What this changes' })
      .getByText(/Gains: .*\(View/)
      .waitFor();
    await page.getByRole('button', { name: 'Save roles' }).click();
    await page.getByText('The roles are changed.').waitFor();
    const { body } = await askAs<{ membership: { roles: { name: string }[] } }>(ben, {
      path: `/api/organizations/${id}`,
    });
    expect(body.membership.roles.map(({ name }) => name)).toContain('Admin');
    await page.getByRole('checkbox', { name: 'Admin' }).uncheck();
    await page.getByRole('button', { name: 'Save roles' }).click();
  });

  test('an invitation is sent, sent again and revoked; an error is at its field', async () => {
    const { page } = await openAs(browser(), ada, inside('/invitations'));
    const email = newEmail('dora');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill('dora@localhost');
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByRole('combobox', { name: 'Teams' }).click();
    await page.getByRole('option', { name: 'release' }).click();
    await dialog
      .getByRole('group', { name: 'Roles in release; may be none' })
      .getByRole('checkbox', { name: 'Team admin' })
      .check();
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText(email, { exact: true }).waitFor();
    const { body } = await askAs<{ data: { teams: { roles: { name: string }[] }[] }[] }>(ada, {
      path: `/api/organizations/${id}/invitations`,
    });
    expect(body.data[0]?.teams[0]?.roles).toMatchObject([{ name: 'team_admin' }]);
    await world.mailbox.next(email);
    await page.getByRole('button', { name: `Send again to ${email}` }).click();
    await world.mailbox.next(email);
    await page.getByRole('button', { name: `Revoke the invitation of ${email}` }).click();
    await page.getByLabel(`Type ${email} to confirm`).fill(email);
    await page.keyboard.press('Enter');
    await page.getByText('Revoked').waitFor();
  });

  test('a removed member has left, and a member leaves by typing the name', async () => {
    const fay = await signUp(world, gateway, 'fay');
    const gus = await signUp(world, gateway, 'gus');
    for (const one of [fay, gus]) await joins.add(id, one);
    const { page } = await openAs(browser(), ada, inside(`/members/${fay.account_id}`));
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByLabel('Type Ada Lovelace to confirm').fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${inside('/members')}`);
    expect((await askAs(fay, { path: `/api/organizations/${id}` })).status).toBe(404);

    const { page: own } = await openAs(browser(), gus, inside());
    await own.getByRole('button', { name: 'Leave organization' }).click();
    await own.getByLabel('Type Acme to confirm').fill('Acme');
    await own.keyboard.press('Enter');
    await own.waitForURL('**/app');
    expect((await askAs(gus, { path: `/api/organizations/${id}` })).status).toBe(404);
  });

  test('a role implies views, and previews what its change takes from a member', async () => {
    const { page } = await openAs(browser(), ada, inside('/roles'));
    await page.getByRole('link', { name: 'Create role' }).click();
    await page.getByLabel('Name').fill(' ');
    await page.getByRole('button', { name: 'Create role' }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    await page.getByLabel('Name').fill('Security auditor');
    await page.getByRole('checkbox', { name: 'Remove: Members' }).check();
    const view = page.getByRole('checkbox', { name: 'View: Members' });
    expect([await view.isChecked(), await view.isDisabled()]).toEqual([true, true]);
    await page.getByText('“View” is implied by “Remove: Members”.').waitFor();
    await page.getByRole('checkbox', { name: 'All: Audit log' }).check();
    await page.getByRole('button', { name: 'Create role' }).click();
    await page.getByRole('link', { name: /^Security auditor/ }).waitFor();

    const roles = await askAs<{ data: { id: string; name: string }[] }>(ada, {
      path: `/api/organizations/${id}/roles`,
    });
    const role = roles.body.data.find(({ name }) => name === 'Security auditor')!;
    const dora = await signUp(world, gateway, 'dora');
    await joins.add(id, dora, [role.id]);
    await page.getByRole('link', { name: /^Security auditor/ }).click();
    await page.getByRole('checkbox', { name: 'View: Audit log' }).uncheck();
    await page.getByText(/Loses: .*Audit log \(View\)/).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The role is changed.').waitFor();

    const { page: hers } = await openAs(browser(), dora, inside('/roles'));
    await hers.getByText('You need the permission “Roles: View” in Acme').waitFor();

    await page.getByRole('button', { name: 'Delete role' }).click();
    await page.getByLabel('Type Security auditor to confirm').fill('Security auditor');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('combobox', { name: 'Give this role instead' }).click();
    await page.getByRole('option', { name: 'Member' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete role' }).click();
    await page.waitForURL(`**${inside('/roles')}`);
  });

  const ADMIN_PAGE = '/roles/00000000-0000-8000-8000-000000000002';
  const PAGES = ['/', '/members', '/members/ben', '/invitations'];
  const ROLE_PAGES = ['/roles', '/roles/new', ADMIN_PAGE, '/team-roles', '/team-roles/new'];
  test.each([...PAGES, ...ROLE_PAGES])('%s has no accessibility problem', (path) =>
    expectAccessible(browser(), gateway, ada, {
      [`org${path.slice(0, 18).replaceAll('/', '-')}`]: async (page) => {
        await page.goto(inside(path.replace('ben', ben.account_id)));
        await page.waitForLoadState('networkidle');
        expect(await page.getByText('This page could not be shown').count()).toBe(0);
      },
    }),
  );
});

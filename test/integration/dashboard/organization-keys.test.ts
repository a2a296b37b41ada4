import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { expectAccessible, openAs as openTabAs } from '../../support/people/dashboard.ts';
import {
  askAs,
  createJoins,
  createOrganization,
  createRole,
  MEMBER,
} from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const inside = (rest: string, isApi = false) =>
  isApi ? `/api/organizations/${id}${rest}` : `/app/org/${id}${rest}`;

const { world, gateway } = await useGateway(ownAddresses);
const joins = await closeAfterTests(createJoins(gateway));
const ada = await signUp(world, gateway, 'ada');
const ben = await signUp(world, gateway, 'ben');
const { id } = await createOrganization(ada);
const release = await createTeam(ada, id, 'release');
await createTeam(ada, id, 'platform');
const viewer = await createRole(ada, id, {
  ...{ name: 'Viewer', permissions: ['can_view_organization_api_keys'] },
});
await joins.add(id, ben, [MEMBER, viewer.id]);
await seatsOf(id, release.id).add(ada, ben);
await ask(ada, inside('/agents', true), {
  ...{ name: 'writer', description: 'Writes.', instructions: 'Write.', organization_wide: true },
});
await ask(ada, inside('/resources', true), {
  ...{ path: 'notes/one', text: 'Text.', organization_wide: true },
});
await ask(ada, inside(`/teams/${release.id}/resources`, true), { path: 'plan', text: 'Text.' });

async function ask<Body>(who: SignedUp, path: string, body?: unknown): Promise<Body> {
  const answer = await askAs<Body>(who, { path, body });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

async function openAs(browser: Browser, who: SignedUp, path: string): Promise<Tab> {
  const tab = await openTabAs(browser, gateway, who);
  await tab.page.goto(path);
  await tab.page.locator('h1').waitFor();
  return tab;
}

interface StoredKey {
  id: string;
  name: string;
  grants: { scope: { type: string; org_id?: string }; permissions: string[] }[];
  teams: { name: string }[];
  follows_teams?: boolean;
  default_agent: { name: string } | null;
}
const keyNamed = async (path: string, name: string) =>
  (await ask<{ data: StoredKey[] }>(ada, path)).data.find((key) => key.name === name)!;
const createKey = (name: string, fields: object = {}) =>
  ask<{ id: string }>(ada, inside('/keys', true), {
    ...{ name, mcp_capabilities: ['tools', 'resources', 'prompts', 'agents'], ...fields },
  });

const unfold = (page: Page, title: string) =>
  page.locator('summary').filter({ hasText: title }).first().click();
const previewSays = (page: Page, text: RegExp) =>
  page
    .getByRole('region', { name: /^What this key/ })
    .getByRole('status')
    .filter({ hasText: text })
    .waitFor();
const save = (page: Page) => page.getByRole('button', { name: 'Save changes' }).click();

describeInBrowser('keys of an organization, and keys in one', (browser) => {
  test('a key of the organization shows its secret once, and is revoked', async () => {
    const { page, errors } = await openAs(browser(), ada, inside('/keys/new'));
    await page.getByLabel('Name').fill('ci');
    await unfold(page, 'Permissions');
    const table = page.getByRole('group', { name: /^Permissions in the organization/ });
    await table.getByRole('checkbox', { name: 'Create: Tools' }).check();
    // No key can have this permission.
    expect(await table.getByRole('checkbox', { name: 'Create: API keys' }).count()).toBe(0);
    await previewSays(page, /2 resources, 1 agent/);
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    const secret = await page.getByRole('dialog').getByLabel('Secret of the key').inputValue();
    // Its name is in use now, by itself.
    expect(await page.getByText('This cannot be saved yet').count()).toBe(0);
    const use = () =>
      ada.person.ask({
        path: inside('/custom-tools', true),
        headers: { 'x-api-key': secret },
      });
    await page.getByRole('checkbox', { name: 'I have stored this' }).check();
    await page.getByRole('button', { name: 'Continue to Connect' }).click();
    await page.getByText('Goes to').waitFor();
    expect((await use()).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('Type ci to confirm').fill('ci');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${inside('/keys')}`);
    expect((await use()).status).toBe(401);
    expect(errors).toEqual([]);
  });

  test('an edit shows what the key loses before it is saved, and sends only what changed', async () => {
    const key = await createKey('narrowed', {
      grants: [
        {
          scope: { type: 'org', org_id: id },
          permissions: ['can_view_organization_tools', 'can_view_team_tools'],
        },
      ],
    });
    const { page } = await openAs(browser(), ada, inside(`/keys/${key.id}`));
    await previewSays(page, /2 resources/);
    await unfold(page, 'Teams');
    await page.getByRole('radio', { name: 'Only these teams' }).check();
    await page.getByRole('checkbox', { name: 'platform' }).check();
    await page.getByText('Loses 1').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'plan' }).first().waitFor();
    await unfold(page, 'Permissions');
    const teams = page.getByRole('group', { name: /^Permissions in its teams/ });
    await teams.getByRole('checkbox', { name: 'View: Tools' }).uncheck();
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await save(page);
    expect((await sent).postDataJSON()).toEqual({
      grants: [
        { scope: { type: 'org', org_id: id }, permissions: ['can_view_organization_tools'] },
      ],
      team_ids: [expect.any(String)],
    });
    await page.getByText('Saved. It applies from the next request.').waitFor();
    expect((await keyNamed(inside('/keys', true), 'narrowed')).teams).toMatchObject([
      { name: 'platform' },
    ]);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('There is nothing to save').waitFor();
  });

  test('a key of the organization starts as an agent, and is explained', async () => {
    const key = await createKey('starting');
    const { page } = await openAs(browser(), ada, inside(`/keys/${key.id}`));
    await previewSays(page, /1 agent/);
    await unfold(page, 'Default agent');
    await page.getByRole('combobox', { name: 'Default agent' }).click();
    await page.getByRole('option', { name: 'writer' }).click();
    await save(page);
    await page.getByText('Saved. It applies from the next request.').waitFor();
    const { default_agent } = await keyNamed(inside('/keys', true), 'starting');
    expect(default_agent?.name).toBe('writer');

    await page.getByRole('tab', { name: 'Explain' }).click();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Resource' }).click();
    await page.getByRole('combobox', { name: 'Item' }).click();
    await page.getByRole('option', { name: /notes\/one/ }).click();
    await page.getByText(/^Yes: it may use .*notes\/one/).waitFor();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('No calls yet.').waitFor();
  });

  test('a member who may only view keys reads what a key may do, and learns which permission changes it', async () => {
    const key = await createKey('viewed');
    const { page } = await openAs(browser(), ben, inside(`/keys/${key.id}`));
    await page
      .getByRole('alert')
      .filter({ hasText: 'You need the permission “API keys: Update” in Acme' })
      .waitFor();
    await page
      .locator('dl > div')
      .filter({ hasText: /^Permissions\s*None$/ })
      .waitFor();
    expect(await page.getByRole('main').locator('input').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);
    await page.getByText('To revoke it, you need the permission “API keys: Revoke”.').waitFor();
  });

  test('a key of a person has permissions in each context, and runs in single teams', async () => {
    const { page, errors } = await openAs(browser(), ada, '/app/keys/new?preset=read_only');
    await page.getByLabel('Name').fill('both');
    await page.getByRole('combobox', { name: 'Runs in' }).click();
    await page.getByRole('option', { name: 'Acme' }).click();
    await unfold(page, 'Teams');
    await page.getByRole('radio', { name: 'Only these teams' }).check();
    await page.getByRole('checkbox', { name: 'release' }).check();
    await unfold(page, 'Permissions');
    await page.getByRole('tab', { name: /^Your account \(\d+\)/ }).waitFor();
    await page.getByRole('tab', { name: 'Acme' }).click();
    await page.getByRole('checkbox', { name: 'Remove: Members' }).check();
    await page.getByRole('tab', { name: 'Acme (1)' }).waitFor();
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Secret of the key').waitFor();
    const key = await keyNamed('/api/keys', 'both');
    expect(key.teams).toMatchObject([{ name: 'release' }]);
    expect(key.grants.map(({ scope }) => scope.type)).toEqual(['personal', 'org']);
    expect(key.grants[1]?.permissions).toEqual(['can_remove_organization_members']);
    expect(errors).toEqual([]);
  });

  test('what the person does not hold cannot be given, and a refusal opens its tab', async () => {
    const { page } = await openAs(browser(), ben, '/app/keys/new');
    await page.getByLabel('Name').fill('too much');
    await unfold(page, 'Permissions');
    await page.getByRole('tab', { name: 'Acme' }).click();
    const organization = page.getByRole('group', { name: /^Permissions in the organization/ });
    const members = organization.getByRole('group', { name: 'Members', exact: true });
    expect(await members.getByRole('checkbox', { name: 'Remove: Members' }).isDisabled()).toBe(
      true,
    );
    await members.getByText('You do not hold: View, Invite, Remove, and Update.').waitFor();
    // Only the service knows what a person holds in which team.
    await page
      .getByRole('group', { name: /^Permissions in its teams/ })
      .getByRole('checkbox', { name: 'Create: Tools' })
      .check();
    await page.getByRole('tab', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await organization.getByRole('alert').waitFor();
    expect(await organization.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('tab', { name: 'Your account' }).click();
    expect(await organization.count()).toBe(0);
  });

  test('every view is accessible, on a screen and a phone', async () => {
    const key = await createKey('accessible', { team_ids: [release.id] });
    await expectAccessible(browser(), gateway, ada, {
      'org-keys': (page) =>
        page.goto(inside('/keys')).then(() => page.getByText('accessible').waitFor()),
      async 'org-key-new'(page) {
        await page.goto(inside('/keys/new'));
        await previewSays(page, /resources/);
        for (const title of ['Teams', 'Permissions', 'Default agent']) await unfold(page, title);
        await page.getByRole('checkbox', { name: 'Remove: Members' }).check();
      },
      async 'org-key'(page) {
        await page.goto(inside(`/keys/${key.id}`));
        await previewSays(page, /resources/);
        await unfold(page, 'Teams');
        await page.getByRole('checkbox', { name: 'release' }).waitFor();
      },
    });
    await expectAccessible(browser(), gateway, ben, {
      async 'org-key-viewed'(page) {
        await page.goto(inside(`/keys/${key.id}`));
        await previewSays(page, /resource/);
      },
    });
  }, 300_000);
});

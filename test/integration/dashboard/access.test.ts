import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { expectAccessible, openAs as openTabAs } from '../../support/people/dashboard.ts';
import { askAs, createJoins } from '../../support/people/organizations.ts';
import { ownAddresses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { toolId } from '../mcp/key-holder.ts';
import { teamsOn } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createAcme, createKey, read } from '../explorer/acme.ts';

const { world, gateway } = await useGateway(ownAddresses);
const joins = await closeAfterTests(createJoins(gateway));
const acme = await createAcme(teamsOn(world, gateway, joins));
const { ada, mia, owner, id, base, shared, team_id } = acme;

async function openAs(browser: Browser, who: SignedUp, rest = ''): Promise<Tab> {
  const tab = await openTabAs(browser, gateway, who);
  await tab.page.goto(`/app/org/${id}/access${rest}`);
  await tab.page.locator('h1').waitFor();
  return tab;
}

/** Opens the choice of organization keys as the auditor, and notes the statuses of all answers. */
async function withStatuses(browser: Browser) {
  const statuses: number[] = [];
  const { page } = await openTabAs(browser, gateway, ada);
  page.on('response', (response) => statuses.push(response.status()));
  await page.goto(`/app/org/${id}/access?kind=organization_key`);
  return { page, statuses };
}

const choose = async (page: Page, label: string, typed: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: label, exact: true }).last().fill(typed);
  await page.getByRole('option', { name: option }).first().click();
};

describeInBrowser('the access explorer in the dashboard', (browser) => {
  test('who may not read the audit log is told which permission is needed, and sees no entry', async () => {
    const { page, errors } = await openAs(browser(), mia);
    await page
      .getByRole('alert')
      .filter({ hasText: 'You need the permission “Audit log: View”' })
      .waitFor();
    expect(await page.getByRole('link', { name: 'Access', exact: true }).count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test('who can also names the clients that could have it once a member authorizes them', async () => {
    const body = {
      ...{ name: 'Deploy bot', type: 'public', grant_types: ['authorization_code'] },
      ...{ redirect_uris: ['https://app.example/'], allowed_scopes: ['read:organization_roles'] },
    };
    await askAs(owner, { path: `${base}/oauth-clients`, body });
    const who = '/who?permission=can_view_organization_roles';
    const { page, errors } = await openAs(browser(), ada, who);

    const section = page
      .locator('section')
      .filter({ hasText: 'could have it after authorization' });
    await section.getByText('Deploy bot').waitFor();
    // An auditor may not view the clients themselves.
    expect(await section.getByRole('link').count()).toBe(0);
    const asOwner = await openAs(browser(), owner, who);
    await asOwner.page.getByRole('link', { name: 'Deploy bot' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('an auditor sees what a key may do, from an address alone, and why an item is hidden', async () => {
    const { page, errors } = await openAs(
      browser(),
      ada,
      `?kind=organization_key&subject=${shared.id}`,
    );
    await page.getByRole('heading', { name: shared.name }).waitFor();
    expect(await page.getByRole('link', { name: 'Access', exact: true }).count()).toBe(1);
    const { counts } = await read<{ counts: { visible: { tools: number }; hidden: number } }>(
      ada,
      `${base}/keys/${shared.id}/access`,
    );
    await page
      .getByRole('status')
      .filter({ hasText: `${counts.visible.tools} tools` })
      .waitFor();
    await page.getByRole('button', { name: `(${counts.hidden})` }).click();
    // What the auditor may not list is not asked for.
    const { page: empty, statuses } = await withStatuses(browser());
    await empty.getByText('You need the permission “API keys: View”').waitFor();
    expect(statuses.filter((status) => status >= 400)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('a member is found by typing, and the address names the member', async () => {
    const { page, errors } = await openAs(browser(), owner);
    await choose(page, 'Member', mia.email.slice(0, 12), mia.email);
    await page.getByRole('heading', { name: mia.email }).waitFor();
    expect(new URL(page.url()).searchParams.get('subject')).toBe(mia.account_id);
    await page.getByText('Roles', { exact: true }).last().waitFor();
    await page.getByText('Permissions in the organization').waitFor();
    expect(errors).toEqual([]);
  });

  test('the holders of a permission are those of the service, with who granted it', async () => {
    const { page, errors } = await openAs(browser(), owner, '/who');
    await choose(page, 'Permission', 'can_view_organization_roles', /can_view_organization_roles/);
    const { data } = await read<{ data: { subject: { name: string } }[] }>(
      owner,
      `${base}/access/permissions/can_view_organization_roles`,
    );
    await page.getByText(`In total: ${data.length}`).waitFor();
    const rows = page.getByRole('list', { name: 'Who has it' }).getByRole('listitem');
    expect(await rows.count()).toBe(data.length);
    const row = rows.filter({ hasText: mia.email });
    await row
      .getByText(/Role “worker”/)
      .first()
      .waitFor();
    await row.locator('summary').click();
    await row.getByText('The role “worker” gives: Roles: View').waitFor();

    await row.getByRole('link', { name: /^Why\?/ }).click();
    await page.getByText(`Yes: ${mia.email} has the permission “Roles: View”.`).waitFor();
    await page
      .getByText(/^fga query check user:/)
      .first()
      .waitFor();
    expect(errors).toEqual([]);
  });

  test('a denial is explained by its first failed step, with the check that repeats it', async () => {
    const address = new URLSearchParams({
      ...{ kind: 'member', subject: mia.account_id },
      ...{ permission: 'can_delete_team_tools', team: team_id },
    });
    const { page, errors } = await openAs(browser(), owner, `/explain?${address.toString()}`);
    await page.getByText(new RegExp(`^No: ${mia.email} does not have`)).waitFor();
    const steps = page.getByRole('list', { name: 'Steps of the decision' }).getByRole('listitem');
    const failed = steps.filter({ hasText: 'Failed' });
    expect(await failed.count()).toBe(1);
    const command = await failed.locator('pre').textContent();
    expect(command).toMatch(/^fga query check user:\S+ can_tools_delete team_seat:\S+$/);
    expect(errors).toEqual([]);
  });

  test('an item that an address names as agents do is explained, and leads to who can use it', async () => {
    const key = await createKey(owner, `${base}/keys`, { team_ids: [team_id] });
    const address = `?kind=organization_key&subject=${key.id}&about=item&family=tools`;
    const { page, errors } = await openAs(browser(), owner, `/explain${address}&item=calculator`);
    await page.getByText(`Yes: ${key.name} can use calculator.`).waitFor();
    await page.goto(`/app/org/${id}/access/explain${address}&item=hash`);
    await page.getByText(`No: ${key.name} cannot use hash.`).waitFor();
    await page.getByText('Neither organization-wide nor admitted by a team').first().waitFor();

    await page.goto(`/app/org/${id}/access/who?about=item&family=tools`);
    await choose(page, 'Item', 'calculator', 'calculator');
    await page.getByRole('link', { name: key.name, exact: true }).waitFor();
    expect(errors).toEqual([]);
  });

  test('two subjects are compared as the service compares them', async () => {
    const address = new URLSearchParams({
      ...{ left_kind: 'member', left: mia.account_id },
      ...{ right_kind: 'organization_key', right: shared.id },
    });
    const { page, errors } = await openAs(browser(), owner, `/compare?${address.toString()}`);
    const left = page.getByRole('region', { name: `Only ${mia.email}` });
    await left.getByText('Roles: View').waitFor({ timeout: 60_000 });
    await left.getByText('calculator').waitFor();
    await page.getByRole('heading', { name: `Only ${shared.name} (0)` }).waitFor();
    expect(errors).toEqual([]);
  });

  test('a review is taken, decided on with a comment, and closed', async () => {
    const { page, errors } = await openAs(browser(), owner, '/reviews');
    await page.getByLabel('Name of the review').fill('Autumn');
    await page.getByRole('button', { name: 'Take a review' }).click();
    await page.getByRole('heading', { level: 1, name: 'Autumn' }).waitFor({ timeout: 60_000 });
    const entry = page.getByRole('listitem').filter({ hasText: shared.name });
    await entry.getByText('Acts for no person').waitFor();
    await entry.getByLabel(`Comment on ${shared.name}`).fill('Bound to no team');
    await entry.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText(/^1 of \d+ decided$/).waitFor();
    expect((await askAs(mia, { path: `${base}/members` })).status).toBe(403);
    const [review] = (await read<{ data: { id: string }[] }>(owner, `${base}/access/reviews`)).data;
    const decided = `${base}/access/reviews/${review!.id}/entries?decision=revoke`;
    await expect
      .poll(async () => (await read<{ data: object[] }>(owner, decided)).data)
      .toMatchObject([{ subject: { id: shared.id }, comment: 'Bound to no team' }]);

    await entry.getByRole('button', { name: 'Revoke', pressed: true }).click();
    await page.getByText(/^0 of \d+ decided$/).waitFor();
    await page.getByRole('button', { name: 'Close review' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close review' }).click();
    await page.getByText('Closed', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Keep' }).count()).toBe(0);

    await page.getByRole('link', { name: 'Reviews' }).first().click();
    await page.getByRole('button', { name: 'Take a review' }).click();
    await page.getByText('Open', { exact: true }).waitFor();
    expect(errors).toEqual([]);
  });

  test('a denied request is listed, and its link explains it', async () => {
    const denied = await askAs(mia, { path: `${base}/members` });
    expect(denied.status).toBe(403);
    const { page, errors } = await openAs(
      browser(),
      owner,
      `/decisions?subject=${mia.account_id}&action=can_view_organization_members`,
    );
    const row = page.getByRole('listitem').filter({ hasText: 'Members: View' }).first();
    // Decisions are visible within seconds.
    await row.waitFor({ timeout: 20_000 });
    await row.getByText('Denied').waitFor();
    await row.getByRole('link', { name: /^Why\?/ }).click();
    await page
      .getByText(`No: ${mia.email} does not have the permission “Members: View”.`)
      .waitFor();
    expect(errors).toEqual([]);
  });

  test('its views are accessible and fit the screen', { timeout: 400_000 }, async () => {
    const [review] = (await read<{ data: { id: string }[] }>(owner, `${base}/access/reviews`)).data;
    await expectAccessible(browser(), gateway, owner, viewsOf(review!.id));
  });
});

type Search = Readonly<Record<string, string>>;

/** Opens a page of the explorer, and waits until it is complete, without an error. */
const show =
  (path: string, search: Search, then?: (page: Page) => Promise<unknown>) => async (page: Page) => {
    await page.goto(`/app/org/${id}/access${path}?${new URLSearchParams(search).toString()}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await then?.(page);
    await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  };

function viewsOf(review_id: string) {
  const member = { kind: 'member', subject: mia.account_id };
  const key = { kind: 'organization_key', subject: shared.id };
  const item = { about: 'item', family: 'tools', item: toolId('calculator') };
  const text = (shown: string | RegExp) => (page: Page) => page.getByText(shown).first().waitFor();
  const row = (page: Page) => page.getByRole('listitem').first().waitFor();
  return {
    'access-empty': show('', {}),
    'access-what-member': show('', member, text('Permissions in the organization')),
    'access-what-key': show('', key, async (page) => {
      await page.getByRole('button', { name: /hidden items/i }).click();
      await text('Not selected in Built-in tools')(page);
    }),
    'access-what-team': show('', { kind: 'team', subject: team_id }, text('Items over MCP')),
    'access-who': show('/who', { permission: 'can_view_organization' }, async (page) => {
      await row(page);
      await page.locator('details summary').first().click();
    }),
    'access-who-item': show('/who', item, row),
    'access-explain-denied': show('/explain', { ...key, ...item }, async (page) => {
      await text(/^No: /)(page);
      await page.getByRole('button', { name: 'Show as a graph' }).click();
      await page.getByRole('img', { name: /Failed/ }).waitFor();
    }),
    'access-unused': show('/unused', { days: '1' }, text('Nothing is unused')),
    'access-explain-allowed': show(
      '/explain',
      { ...member, permission: 'can_create_team_tools', team: team_id },
      text(/^Yes: /),
    ),
    'access-compare': show(
      '/compare',
      {
        ...{ left_kind: 'member', left: mia.account_id },
        ...{ right_kind: 'organization_key', right: shared.id },
      },
      text(/^In common/),
    ),
    'access-compare-reviews': show(
      '/compare',
      { of: 'reviews' },
      text('Choose two reviews to see what changed between them.'),
    ),
    'access-reviews': show('/reviews', {}, text('Closed')),
    'access-review': show(`/reviews/${review_id}`, {}, row),
    'access-decisions': show('/decisions', { outcome: 'denied' }, row),
  };
}

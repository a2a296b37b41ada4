import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectAccessible, expectStateAccessible, openAs } from '../../support/people/dashboard.ts';
import { askAs, createJoins } from '../../support/people/organizations.ts';
import { ownAddresses } from '../../support/people/people.ts';
import { teamsOn } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createAcme, createKey } from '../explorer/acme.ts';

const { world, gateway } = await useGateway(ownAddresses);
const joins = await closeAfterTests(createJoins(gateway));
const acme = await createAcme(teamsOn(world, gateway, joins));
const { mia, owner, id, base, team_id } = acme;

/** Opens a page of the explorer, and waits until it is complete, without an error. */
const show = (rest: string, then?: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await page.goto(`/app/org/${id}/access${rest}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await then?.(page);
  await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0);
  expect(await page.getByRole('alert').allTextContents()).toEqual([]);
};

describeInBrowser('changes of access in the dashboard', (browser) => {
  test('decisions are applied once each change was shown, and what changed is what two reviews differ in', async () => {
    const robot = await createKey(owner, `${base}/keys`, { name: 'old robot', team_ids: [] });
    const { page, errors } = await openAs(browser(), gateway, owner);
    await page.goto(`/app/org/${id}/access/reviews`);
    await page.getByRole('button', { name: 'Take a review' }).click();
    const entry = page.getByRole('listitem').filter({ hasText: robot.name });
    await entry.getByRole('button', { name: 'Revoke' }).click({ timeout: 60_000 });
    const reduced = page.getByRole('listitem').filter({ hasText: mia.email }).first();
    await reduced.getByRole('button', { name: 'Reduce' }).click();
    await page.getByText(/^2 of \d+ decided$/).waitFor();
    const before = page.url().split('/').at(-1)!.split('?')[0]!;

    await page.getByRole('button', { name: 'Apply decisions' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('To do: 1 · By hand: 1').waitFor();
    await dialog.getByText('Give this member other roles.').waitFor();
    await expectStateAccessible(page);
    expect((await askAs(owner, { path: `${base}/keys/${robot.id}` })).status).toBe(200);
    await dialog.getByRole('button', { name: 'Apply (1)' }).click();
    await dialog.getByText('Done: 1 · By hand: 1').waitFor({ timeout: 60_000 });
    expect((await askAs(owner, { path: `${base}/keys/${robot.id}` })).status).toBe(404);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

    const later = await askAs<{ id: string }>(owner, { path: `${base}/access/reviews`, body: {} });
    const sides = new URLSearchParams({ of: 'reviews', left: before, right: later.body.id });
    await page.goto(`/app/org/${id}/access/compare?${sides.toString()}`);
    await page.getByRole('heading', { name: /\(0\)$/ }).waitFor({ timeout: 60_000 });
    await page.getByText('Nothing that the other does not have.').waitFor();
    await page.getByRole('heading', { level: 3 }).first().waitFor();
    expect(errors).toEqual([]);
  });

  test('people see what their own keys may do, in the words of the explorer', async () => {
    const { page, errors } = await openAs(browser(), gateway, mia);
    await page.goto('/app/access');
    await page.getByText('Choose a key or a connection.').waitFor();
    await page.getByRole('combobox', { name: 'Key or connection' }).click();
    await page.getByRole('option', { name: acme.key.name }).click();
    await page.getByRole('heading', { name: acme.key.name }).waitFor();
    expect(new URL(page.url()).searchParams.get('subject')).toBe(acme.key.id);
    await page.getByRole('heading', { name: 'Items over MCP' }).waitFor();
    expect(await page.getByRole('link', { name: 'Access', exact: true }).count()).toBe(1);
    expect(errors).toEqual([]);
  });

  test.each(['de', 'ja', 'ar'])(
    'its views fit in the language %s',
    { timeout: 400_000 },
    async (locale) => {
      const views = {
        [`access-unused-${locale}`]: show('/unused?days=1'),
        [`access-compare-reviews-${locale}`]: show('/compare?of=reviews'),
        [`access-explain-${locale}`]: show(
          `/explain?kind=member&subject=${mia.account_id}&permission=can_delete_team_tools&team=${team_id}`,
          async (page) => {
            await page.locator('section[aria-labelledby=steps] button[aria-expanded]').click();
            await page.locator('svg[role=img]').waitFor();
          },
        ),
      };
      await expectAccessible(browser(), gateway, owner, views, { locale });
    },
  );
});

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectAccessible } from '../../support/people/dashboard.ts';
import { askAs } from '../../support/people/organizations.ts';
import { ownAddresses } from '../../support/people/people.ts';
import { createAcme } from '../../support/worlds/acme.ts';
import { useWorld } from '../../support/worlds/world.ts';

interface Named {
  id: string;
  name: string;
}

describeInBrowser('the access explorer', (browser) => {
  test('its views are accessible and fit the screen', { timeout: 400_000 }, async () => {
    const world = await useWorld(ownAddresses);
    const gateway = await world.gateway();
    const { id, people, teams } = await createAcme(world, gateway);
    const { ada, ben, cleo, hana } = people;
    const list = async (path: string) => {
      const { body } = await askAs<{ data: Named[] }>(ada, { path });
      return new Map(body.data.map((one) => [one.name, one.id]));
    };
    const keys = await list(`/api/organizations/${id}/keys`);
    const tools = await list('/api/catalog/tools');
    const nightly = keys.get('nightly-report')!;
    const web_fetch = tools.get('web_fetch')!;
    const show =
      (path: string, search: Record<string, string>, then?: (page: Page) => Promise<unknown>) =>
      async (page: Page) => {
        await page.goto(`/app/org/${id}/access${path}?${new URLSearchParams(search).toString()}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await then?.(page);
        await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0);
        expect(await page.getByRole('alert').allTextContents()).toEqual([]);
      };
    const review = await askAs<{ id: string }>(ada, {
      ...{ path: `/api/organizations/${id}/access/reviews`, body: { name: 'Autumn' } },
    });
    expect(review.status).toBe(201);
    // Requests that are denied, which the log of decisions shows.
    for (const path of ['keys', 'roles', 'access/reviews'])
      await askAs(cleo, { path: `/api/organizations/${id}/${path}` });
    const member = (account_id: string) => ({ kind: 'member', subject: account_id });
    const key = { kind: 'organization_key', subject: nightly };
    const row = (page: Page) => page.getByRole('listitem').first();
    await expectAccessible(browser(), gateway, ada, {
      'access-empty': show('', {}),
      'access-what-member': show('', member(ben.account_id), (page) =>
        page.getByRole('heading', { name: 'ben@acme.example' }).waitFor(),
      ),
      'access-what-key': show('', key, async (page) => {
        await page.getByRole('button', { name: /hidden items/i }).click();
        await page.getByText('Not selected in Built-in tools').first().waitFor();
      }),
      'access-what-team': show('', { kind: 'team', subject: teams['release']! }, (page) =>
        page.getByRole('heading', { name: 'release' }).waitFor(),
      ),
      'access-who-permission': show(
        '/who',
        { permission: 'can_create_organization_api_keys' },
        async (page) => {
          await row(page).waitFor();
          await page.locator('details summary').first().click();
        },
      ),
      'access-who-team-permission': show('/who', { permission: 'can_create_team_tools' }, (page) =>
        row(page).waitFor(),
      ),
      'access-who-item': show('/who', { about: 'item', family: 'tools', item: web_fetch }, (page) =>
        row(page).waitFor(),
      ),
      'access-explain-denied': show(
        '/explain',
        { ...key, about: 'item', family: 'tools', item: 'web_fetch' },
        (page) => page.getByText(/^No: nightly-report cannot use/).waitFor(),
      ),
      'access-explain-allowed': show(
        '/explain',
        { ...member(ben.account_id), permission: 'can_view_organization_api_keys' },
        (page) => page.getByText(/^Yes: ben@acme.example has/).waitFor(),
      ),
      'access-explain-team': show(
        '/explain',
        {
          ...member(cleo.account_id),
          permission: 'can_create_team_tools',
          team: teams['release']!,
        },
        (page) => page.getByText(/^No: cleo@acme.example does not have/).waitFor(),
      ),
      'access-reviews': show('/reviews', {}, (page) =>
        page.getByRole('link', { name: /Autumn/ }).waitFor(),
      ),
      'access-review': show(`/reviews/${review.body.id}`, {}, async (page) => {
        const entry = page.getByRole('listitem').filter({ hasText: 'nightly-report' });
        await entry.getByRole('button', { name: 'Reduce' }).click();
        await page.getByText(/^1 of \d+ decided$/).waitFor();
        await entry.getByRole('button', { name: 'Reduce', pressed: true }).waitFor();
      }),
      'access-decisions': show('/decisions', { outcome: 'denied' }, (page) =>
        page.getByText('Denied').nth(2).waitFor(),
      ),
      'access-compare': show(
        '/compare',
        {
          ...{ left_kind: 'member', left: hana.account_id },
          ...{ right_kind: 'organization_key', right: nightly },
        },
        (page) => page.getByRole('heading', { name: /^Only hana/ }).waitFor(),
      ),
    });
  });
});

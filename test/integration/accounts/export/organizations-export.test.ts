import { expect, test } from 'vitest';
import type { SignedUp } from '../../../support/people/people.ts';
import { askAs } from '../../../support/people/organizations.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { create, FAMILIES } from '../../organizations/content-items.ts';
import type { Item } from '../../organizations/content-items.ts';

const teams = await useTeams();

interface Exported {
  organizations: { organization_id: string; left_at: string | null; teams: { name: string }[] }[];
  organization_items: Record<string, (Item & { organization_id: string })[]>;
}

const exportOf = async (who: SignedUp) =>
  (await askAs<Exported>(who, { path: '/api/user/export' })).body;

test('an export has the memberships and seats of a person, and their own items of each organization', async () => {
  const [red, blue] = [await teams.organization('red'), await teams.organization('blue')];
  const mia = await teams.join(red.id, 'mia');
  await teams.joins.add(blue.id, mia);
  await red.add(red.owner, mia);
  const own: Record<string, Record<string, string>> = {};
  for (const family of FAMILIES) {
    const path = (id: string) => `/api/organizations/${id}`;
    const made = async (id: string) => (await create(mia, `${path(id)}/me`, family)).body.id;
    own[family.replace('-', '_')] = {
      [await made(red.id)]: red.id,
      [await made(blue.id)]: blue.id,
    };
    await create(red.owner, `${path(red.id)}/me`, family);
    await create(red.owner, red.path, family);
    await create(red.owner, path(red.id), family);
  }
  const upstream = await askAs<Item>(mia, {
    path: `/api/organizations/${red.id}/me/upstreams`,
    body: { name: 'papers', url: 'https://example.com/mcp', headers: { 'x-token': 'hush-hush' } },
  });
  await askAs(mia, {
    method: 'DELETE',
    path: `/api/organizations/${blue.id}/members/${mia.account_id}`,
  });

  const { organizations, organization_items } = await exportOf(mia);

  expect(
    organizations.map((one) => [
      one.organization_id,
      one.left_at === null,
      one.teams.map(({ name }) => name),
    ]),
  ).toEqual([
    [blue.id, false, []],
    [red.id, true, ['red']],
  ]);
  const found = Object.entries(organization_items).map(([family, items]) => [
    family,
    Object.fromEntries(items.map((item) => [item.id, item.organization_id])),
  ]);
  expect(Object.fromEntries(found)).toEqual({ ...own, upstreams: { [upstream.body.id]: red.id } });
  expect(organization_items['resources']![0]).toMatchObject({ text: 'Hello.' });
  expect(JSON.stringify(organization_items)).not.toContain('hush-hush');
});

test('an export has no items of a person who made none in their organization', async () => {
  const { owner } = await teams.organization();

  const { organization_items } = await exportOf(owner);

  expect(Object.values(organization_items).flat()).toEqual([]);
});

import { expect, test } from 'vitest';
import { createFixUrls } from '../../../src/keys/fix-url.ts';
import type { Previewed } from '../../../src/keys/fix-url.ts';
import type { Item, View } from '../../../src/visibility/visibility.ts';
import { all, placeOf, red, teamWith, viewOf, visibility } from '../visibility/fixture-places.ts';

const person = { kind: 'account', id: 'ada' } as const;
const acme = { kind: 'organization', id: 'organization' } as const;
const KEY: Previewed = { owner: person, runs_in: null, page: 'keys/k', declared: [] };
const scoped = { ...KEY, runs_in: acme.id };
const shared = { ...KEY, owner: acme, runs_in: acme.id };

const personal = viewOf([placeOf({ kind: 'personal' }, null)]);
const catalog = placeOf(
  { kind: 'organization' },
  {
    ...{ designated: new Set<string>(), teams: [{ ...teamWith(all), id: 'team' }] },
  },
);
const inOrganization = viewOf([catalog, placeOf({ kind: 'member' }, null), placeOf(red, null)]);
const without = (view: View): View => ({ ...view, capabilities: new Set() });

const toolOf = (view: View, space_id: string): Item =>
  visibility.allItems(view, 'tool').find((tool) => tool.space_id === space_id)!;
const urlOf = (previewed: Previewed, view: View, space_id: string, reason: 'held' | 'lacking') =>
  createFixUrls('https://app.example', previewed)(...[view, toolOf(view, space_id)], [
    reason === 'held' ? 'held' : 'capability_missing',
  ]);

test('a quarantined tool is approved on its page in its own space', () => {
  const urls = ['organization', 'member', 'team'].map((space) =>
    urlOf(scoped, inOrganization, space, 'held'),
  );
  const area = 'https://app.example/app/org/organization';

  expect(urls).toEqual([
    `${area}/tools/tool x of organization`,
    `${area}/me/tools/tool x of member`,
    `${area}/teams/team/tools/tool x of team`,
  ]);
  expect(urlOf(KEY, personal, 'personal', 'held')).toBe(
    'https://app.example/app/tools/tool x of personal',
  );
});

test('a capability that a credential does not declare is added on its page, if it can be', () => {
  const lacking = without(inOrganization);
  const urlFor = (previewed: Previewed) => urlOf(previewed, lacking, 'team', 'lacking');

  expect(urlOf(KEY, without(personal), 'personal', 'lacking')).toBe(
    'https://app.example/app/keys/k',
  );
  expect(urlFor(scoped)).toBe('https://app.example/app/keys/k');
  expect(urlFor(shared)).toBe('https://app.example/app/org/organization/keys/k');
  expect(urlFor({ ...shared, page: 'clients/c' })).toBe(
    'https://app.example/app/org/organization/clients/c',
  );
  expect(urlFor({ ...scoped, page: null }), 'authorized by a person, or a draft').toBeNull();
});

test('a declared capability that a member’s credential lacks is missing in the member’s roles', () => {
  const lacking = without(inOrganization);
  const declared = ['tools'] as const;

  expect(urlOf({ ...scoped, declared }, lacking, 'team', 'lacking')).toBe(
    'https://app.example/app/org/organization/roles',
  );
  expect(urlOf({ ...shared, declared }, lacking, 'team', 'lacking')).toBeNull();
});

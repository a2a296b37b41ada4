import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { organizationPermissions, teamPermissions } from '../../../src/authz/permissions.ts';

interface Texts {
  org_noun: Record<string, string>;
  org_verb: Record<string, string>;
}

test('the matrix of permissions has a word for each family and each verb of the table', () => {
  const file = new URL('../../../src/dashboard/texts/en/organizations.json', import.meta.url);
  const { org_noun, org_verb } = JSON.parse(readFileSync(file, 'utf8')) as Texts;
  const table = [...organizationPermissions, ...teamPermissions];
  const distinct = (names: string[]) => [...new Set(names)].toSorted();
  expect(Object.keys(org_noun).toSorted()).toEqual(distinct(table.map(({ family }) => family)));
  expect(Object.keys(org_verb).toSorted()).toEqual(distinct(table.map(({ verb }) => verb)));
});

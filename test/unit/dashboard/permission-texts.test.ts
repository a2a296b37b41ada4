import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { permissions } from '../../../src/authz/permissions.ts';

interface Texts {
  noun: Record<string, string>;
  verb: Record<string, string>;
}

test('the matrix of permissions has a word for each family and each verb of the table', () => {
  const file = new URL('../../../src/dashboard/texts/en/permissions.json', import.meta.url);
  const { noun, verb } = JSON.parse(readFileSync(file, 'utf8')) as Texts;
  const table = Object.values(permissions).flat();
  const distinct = (names: string[]) => [...new Set(names)].toSorted();
  expect(Object.keys(noun).toSorted()).toEqual(distinct(table.map((one) => one.family)));
  expect(Object.keys(verb).toSorted()).toEqual(distinct(table.map((one) => one.verb)));
});

import { expect, test } from 'vitest';
import { organizationClosure, permissions, teamClosure } from '../../../src/authz/permissions.ts';
import type { Permission } from '../../../src/authz/permissions.ts';
import { impliedBy, rowsOf } from '../../../src/dashboard/parts/permission-rows.ts';

const grantOf = ({ grant }: Permission) => grant;

test.each([
  ['organization', organizationClosure],
  ['team', teamClosure],
] as const)('the matrix of %s locks what the service implies', (table, closure) => {
  const cells = rowsOf(permissions[table], grantOf).flatMap((row) => row.cells);
  for (const { name } of cells)
    expect([name, ...impliedBy(cells, new Set([name])).keys()].toSorted()).toEqual(
      closure(new Set([name])).toSorted(),
    );
});

test('a matrix has no cell for what no grant can contain', () => {
  const cells = rowsOf(permissions.personal, grantOf).flatMap((row) => row.cells);
  expect(cells.map(({ permission }) => permission.family)).not.toContain('mcp_settings');
});

import { expect, test } from 'vitest';
import { isManagementTool } from '../../../src/dashboard/mcp/management-tools.ts';
import { managementEntries } from '../../../src/mcp/management/entries.ts';
import { grepEntry } from '../../../src/mcp/management/grep.ts';
import { catalog } from '../../../src/catalog/catalog.ts';

test('management tools, and no other built-in tools, are in the group of management tools', () => {
  const management = [...managementEntries.map(({ tool }) => tool), grepEntry];
  expect(management.filter((tool) => !isManagementTool(tool))).toEqual([]);
  expect(catalog.tools().filter(isManagementTool)).toEqual([]);
});

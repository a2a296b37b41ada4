import { expect, test } from 'vitest';
import { families } from '../../../src/content/items/schema.ts';
import { managementEntries } from '../../../src/mcp/management/entries.ts';
import { decidingCapabilities } from '../../../src/visibility/visibility.ts';

const tools = managementEntries.map(({ tool }) => tool);
const catalog = { tools: () => tools };
const idOf = (name: string) => tools.find((tool) => tool.name === name)!.id;

test.each([
  ['list_agents', ['tools', 'agents']],
  ['list_prompts', ['tools']],
])('%s is decided by %j', (name, expected) => {
  expect(decidingCapabilities(catalog, { family: 'tool', id: idOf(name) })).toEqual(expected);
});

test.each(families)('a %s of a space is decided by the capability of its family', (family) => {
  expect(decidingCapabilities(catalog, { family, id: 'own' })).toEqual([`${family}s`]);
});

import { expect, test } from 'vitest';
import { mcpContentOf, mcpProblems } from '../../../src/content/tools/mcp-tool.ts';
import { heldShare } from '../../support/longest-turn.ts';

const schemaOf = (items: unknown[]) => ({ type: 'object', 'x-items': items });

test.each<[name: string, schema: Record<string, unknown>]>([
  ['an ordinary schema', { type: 'object', properties: { a: { type: 'string' } } }],
  ['many arrays', schemaOf(Array.from({ length: 66_000 }, () => []))],
  ['many objects', schemaOf(Array.from({ length: 33_000 }, () => ({ a: 1 })))],
  ['different objects', schemaOf(Array.from({ length: 40_000 }, (_, i) => ({ [`k${i}`]: 1 })))],
])('an upstream tool holds the event loop no longer than one turn: %s', async (_name, schema) => {
  const found = {
    ...{ name: 'tool', title: null, description: 'A tool.', pin: 'pin', annotations: {} },
    ...{ input_schema: schema, output_schema: schema },
  };

  expect(await heldShare(async () => mcpProblems(mcpContentOf('upstream', found)))).toBeLessThan(1);
});

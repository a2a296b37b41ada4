import { expect, test } from 'vitest';
import { createItems } from '../../../src/explorer/items/shown.ts';

const known = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `tool ${index}`, name: `tool ${index}`, item: null },
    because: index === 0 ? ['not_selected'] : [],
  }));

/** Returns the visible tools of a view with 1,500 tools, of which the first is hidden. */
async function visibleTools(isWhole: boolean) {
  const none = { prompts: [], resources: [], agents: [] };
  const tools = known(1_500);
  const shown = {
    known: { tool: tools, prompt: [], resource: [], agent: [] },
    seen: { visible: { tools: tools.slice(1, 1_001), ...none }, hidden: [], counts: {} },
  };
  const keys = { knownTo: async () => () => true, shownIn: async () => shown };
  const itemsIn = createItems({ keys, isWhole } as unknown as Parameters<typeof createItems>[0]);
  const look = { visibility: { precomputed: async () => {} }, as_of: '', model_id: '' };
  const asked = { caller: { credential: {}, quota_owner: { id: 'a' } }, organization_id: 'o' };
  const view = { capabilities: new Set() };
  const { visible } = await itemsIn(
    ...([look, asked, { row: null, view }] as unknown as Parameters<typeof itemsIn>),
  );
  return visible.tools;
}

test('a comparison has every visible item, an answer about one subject the first thousand', async () => {
  const whole = await visibleTools(true);

  expect(whole).toHaveLength(1_499);
  expect(whole[0]).toEqual({ id: 'tool 1', name: 'tool 1' });
  expect(await visibleTools(false)).toHaveLength(1_000);
});

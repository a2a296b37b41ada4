import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { knownItems } from '../../../src/keys/listed-items.ts';
import { createShownItems } from '../../../src/keys/shown-items.ts';
import { createListTokens } from '../../../src/mcp/lists/tokens.ts';
import { inTurns } from '../../../src/platform/concurrency/turns.ts';
import type { Policies } from '../../../src/policies/item-policies.ts';
import type { ToolItem } from '../../../src/visibility/visibility.ts';
import { heldShare } from '../../support/longest-turn.ts';
import { all, placeOf, teamWith, viewOf, visibility } from '../visibility/fixture-places.ts';

const ids = () => Array.from({ length: 100 }, () => randomUUID());
const others = (): Policies => ({
  ...all,
  tool: { mode: 'whitelist', tools: ids(), custom_tools: ids() },
  prompt: { mode: 'whitelist', prompts: ids() },
  agent: { mode: 'whitelist', agents: ids() },
});
const teams = Array.from({ length: 200 }, () => ({ ...teamWith(others()), id: randomUUID() }));
const names = Array.from({ length: 5_000 }, (_, index) => `item${index}`);
const catalog = placeOf({ kind: 'organization' }, { designated: new Set(), teams }, names);
const view = viewOf([catalog], others());
const isKnown = () => true;
const listTokens = createListTokens({ PUBLIC_URL: 'https://tools.example' }, visibility, {
  contentAt: async () => null,
});

test('a preview of 20,000 items that 200 teams could expose holds the event loop no longer than one turn', async () => {
  const shownIn = createShownItems({ visibility, listTokens, dashboardUrl: '' });
  const previewed = { owner: { kind: 'account', id: 'ada' }, runs_in: 'organization' } as const;
  const preview = () =>
    shownIn({
      ...{ view, isKnown, fairnessKey: 'ada', page: null, default_agent_id: null },
      tool_listing: 'all',
      previewed: { ...previewed, page: null, declared: [] },
    });
  // Reads the items of the space, as the first request for it does.
  await preview();

  expect(await heldShare(preview)).toBeLessThan(1);
  const { seen } = await preview();
  expect(seen.counts.hidden).toBe(15_000);
  expect(seen.counts.visible.resources).toBe(5_000);
});

test('the comparison with an earlier view holds the event loop no longer than one turn', async () => {
  const earlier = () => inTurns('ada', knownItems(visibility, { view, isKnown }));
  await earlier();

  expect(await heldShare(earlier)).toBeLessThan(1);
});

test('an estimate of many large tools holds the event loop no longer than one turn', async () => {
  const [tool] = visibility.allItems(view, 'tool');
  const properties = Object.fromEntries(names.slice(0, 500).map((name) => [name, { title: name }]));
  const listing = {
    view: { connected: true, capabilities: new Set<never>() },
    tool_listing: 'all',
  } as const;
  const large = () =>
    Array.from({ length: 5_000 }, (): ToolItem => ({ ...tool!, input_schema: { properties } }));

  expect(await heldShare(() => inTurns('ada', listTokens(large(), listing)))).toBeLessThan(1);
});

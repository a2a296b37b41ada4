import { expect, test } from 'vitest';
import { heldShare } from '../../support/longest-turn.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { agent } from './entries.ts';
import { exportPath, fileWith, httpTool, importPath, prompt } from './space-world.ts';

const BODY_BYTES = 2_097_152;
const MAX_ENTRIES = 5_000;
const MAX_STRUCTURE = 100_000;

const { world, gateway } = await useGateway({ ...ownAddresses, OUTBOUND_ALLOW: '127.0.0.1' });

const many = <Entry>(count: number, make: (index: number) => Entry) =>
  Array.from({ length: count }, (_, index) => make(index));
/** Returns as many entries as a file may have, by their number, length and structure. */
function fill<Entry>(make: (index: number) => Entry): Entry[] {
  const text = JSON.stringify(make(9_999));
  const structure = text.match(/[[\]{}:,]/g)!.length + 1;
  const lengths = [(BODY_BYTES - 1_000) / (text.length + 1), (MAX_STRUCTURE - 100) / structure];
  return many(Math.floor(Math.min(MAX_ENTRIES, ...lengths)), make);
}
const schemaOf = (properties: number) => ({
  type: 'object',
  properties: Object.fromEntries(
    many(properties, (index) => [
      index === 0 ? 'city' : `p${index}`,
      { type: 'string', description: `Property ${index}.` },
    ]),
  ),
});

const files: Record<string, object> = {
  'as many prompts as a list may have': { prompts: fill((index) => prompt(`p${index}`)) },
  'resources that fill it': {
    resources: many(2, (index) => ({ path: `r${index}`, text: 'x'.repeat(1_040_000) })),
  },
  'tools with large schemas': {
    custom_tools: fill((index) =>
      httpTool('http://127.0.0.1', { name: `t${index}`, input_schema: schemaOf(200) }),
    ),
  },
  'as many tools as fit': {
    custom_tools: fill((index) => httpTool('http://127.0.0.1', { name: `t${index}` })),
  },
  'agents that name each other': {
    agents: fill((index) => agent({ agent: `a${(index + 1) % 100}` }, `a${index}`)),
  },
};

test.each(Object.entries(files))(
  'a file with %s is imported and exported without holding the event loop',
  async (_what, lists) => {
    const body = JSON.stringify(fileWith(lists));
    expect(body.length).toBeLessThan(BODY_BYTES);
    const statuses: number[] = [];
    const send = async (path: string, bearer: object, init: RequestInit = {}) => {
      const headers = { 'content-type': 'application/json', ...bearer };
      const response = await fetch(`${gateway.url}${path}`, { headers, ...init });
      await response.text();
      statuses.push(response.status);
    };
    const runs: { authorization: string }[] = [];
    for (let run = 0; run < 3; run += 1) {
      const ada = await signUp(world, gateway);
      await gateway.service.setAccountPlan(ada.account_id, 'enterprise');
      runs.push(ada.bearer);
    }
    const importNext = () => send(importPath, runs.shift()!, { method: 'POST', body });
    const last = runs[0]!;
    const imported = await heldShare(importNext);
    const exported = await heldShare(() => send(exportPath, last));

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(imported).toBeLessThan(1);
    expect(exported).toBeLessThan(1);
  },
  120_000,
);

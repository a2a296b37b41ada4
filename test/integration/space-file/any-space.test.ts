import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tools } from '../../../src/catalog/tools.ts';
import { checkProperty, scaledTimeout } from '../properties/trials.ts';
import {
  createSpaceWorld,
  exportOf,
  fileWith,
  httpTool,
  importInto,
  prompt,
  seenBy,
} from './space-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const space = await closeAfterTests(createSpaceWorld());

const sizes = { maxLength: 5 };
const name = fc.constantFrom('a', 'b', 'c-1', 'd_2', 'constructor', 'x'.repeat(64));
const names = fc.uniqueArray(name, sizes);
const paths = fc.uniqueArray(
  fc.constantFrom('a', 'B', 'é', 'ﬁ/日', '🙂/a b', 'a/__proto__', '%'),
  sizes,
);
const text = fc.string({
  unit: fc.constantFrom('a', 'é', '🙂', '"', '\\', '\n', '\u007f', '{}'),
  ...sizes,
});
const body = fc
  .jsonValue({ maxDepth: 4 })
  .filter((value) => !/__proto__|\{\{|\\u/.test(JSON.stringify(value)));
const builtIn = fc.subarray(tools.map((tool) => tool.name));

const spaceValues = fc.record({
  names: fc.record({ prompts: names, agents: names, tools: names, paths }),
  texts: fc.array(text, { minLength: 5, maxLength: 5 }),
  body,
  builtIn,
  picks: fc.array(fc.nat(1_000), { minLength: 10, maxLength: 10 }),
});
type SpaceValues = typeof spaceValues extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns a file whose conditions name items in the file, a built-in tool, or deleted items. */
function fileOf({ names: named, texts, body: sent, builtIn: selected, picks }: SpaceValues) {
  const conditions = [
    null,
    { capability: 'prompts' },
    { tool: 'uuid' },
    { gone: { prompt: '0190aaaa-0000-7000-8000-00000000dead' } },
    { gone: { resource: 'no/body' } },
    ...named.prompts.map((itemName) => ({ prompt: itemName })),
    ...named.agents.map((itemName) => ({ agent: itemName })),
    ...named.tools.map((itemName) => ({ custom_tool: itemName })),
    ...named.paths.map((path) => ({ resource: path })),
  ];
  const method = sent === null ? 'GET' : 'POST';
  return {
    ...fileWith(),
    mcp_settings: { tools: selected, platform_prompts: ['code_review'] },
    prompts: named.prompts.map((itemName) => prompt(itemName, 'Said.')),
    resources: named.paths.map((path, index) =>
      index % 2 === 0
        ? { path, text: texts[index] }
        : { path, title: 'Bytes', blob: Buffer.from(texts[index]!).toString('base64') },
    ),
    custom_tools: named.tools.map((itemName) =>
      httpTool(space.upstream.origin, {
        name: itemName,
        http: { method, url: `${space.upstream.origin}/{{city}}`, body: sent },
      }),
    ),
    agents: named.agents.map((itemName, index) => ({
      ...{ name: itemName, description: 'Helps.', instructions: 'Help.' },
      components: picks.slice(index).map((pick, part) => ({
        ...{ name: `c${part}`, content: 'Apply.' },
        when: conditions[pick % conditions.length],
      })),
    })),
  };
}

const conditionsIn = ({ agents }: { agents: object[] }) =>
  new Map((agents as Agent[]).map((agent) => [agent.name, agent.components]));

interface Agent {
  name: string;
  components: object[];
}

test(
  'the file of any space recreates the space in another account, and agents see the same there',
  async () => {
    await checkProperty(
      8,
      fc.asyncProperty(spaceValues, async (values) => {
        const [ada, bob] = [await space.newAuthor(), await space.newAuthor()];
        const file = fileOf(values);
        const first = await importInto(ada, file);
        expect([first.status, first.body.errors]).toEqual([200, undefined]);
        const exported = await exportOf(ada);
        expect(conditionsIn(exported)).toEqual(conditionsIn(file));

        const second = await importInto(bob, exported);

        expect(second.body.created).toEqual(first.body.created);
        expect(JSON.stringify(await exportOf(bob))).toBe(JSON.stringify(exported));
        expect(await seenBy(bob)).toEqual(await seenBy(ada));
      }),
    );
  },
  scaledTimeout(60_000),
);

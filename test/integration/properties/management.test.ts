import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { managementEntries } from '../../../src/mcp/management/entries.ts';
import { grepEntry } from '../../../src/mcp/management/grep.ts';
import { applying, reached } from '../../oracle/reach.ts';
import type { OracleAgent } from '../../oracle/world.ts';
import { anyKey, anyWorld, ITEM_FAMILIES, pool } from '../../support/worlds/worlds.ts';
import type { ItemFamily, KeyPlan, WorldPlan } from '../../support/worlds/worlds.ts';
import { smallCatalog } from './agents-reach.ts';
import type { BuiltWorld, CreatedKey } from './built-world.ts';
import { contentOf } from './item-content.ts';
import { createReader } from './reader.ts';
import type { Reader } from './reader.ts';
import { builtIns, createStage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const managementTools = [...managementEntries.map(({ tool }) => tool), grepEntry];
const managementToolIds = managementTools.map(({ id }) => id);
const catalog = createCatalog(
  [...smallCatalog.tools(), ...managementTools],
  smallCatalog.prompts(),
);

const stage = await closeAfterTests(createStage(4, catalog));

const nouns: Readonly<Record<ItemFamily, string>> = {
  prompts: 'prompt',
  resources: 'resource',
  agents: 'agent',
  tools: 'custom_tool',
};
const writes = ['create', 'update', 'patch', 'rename', 'break', 'stale', 'delete'] as const;

/** One call; `target` indexes all items of the world, including those of other accounts. */
const anyStep = fc.record({
  key: fc.nat(),
  verb: fc.constantFrom(...writes),
  family: fc.constantFrom(...ITEM_FAMILIES),
  target: fc.nat(),
  name: fc.nat(),
});
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

const permissions = ITEM_FAMILIES.flatMap((family) =>
  ['create', 'update', 'delete'].map((verb) => `can_${verb}_${family}`),
);
/** Keys that can manage most items, so that calls succeed rather than being refused. */
const anyManagingKey = fc
  .record({ plan: anyKey(builtIns), permissions: fc.subarray(permissions, { minLength: 6 }) })
  .map(({ plan, permissions: granted }): KeyPlan => {
    const tools = plan.policies.tools;
    return {
      ...plan,
      permissions: granted,
      capabilities: [...new Set(['tools', ...plan.capabilities])],
      policies: {
        ...plan.policies,
        ...(tools?.mode === 'whitelist'
          ? { tools: { ...tools, builtIns: [...tools.builtIns, ...managementToolIds] } }
          : {}),
      },
    };
  });

const anyManagedWorld: fc.Arbitrary<WorldPlan> = fc
  .record({
    world: anyWorld(builtIns),
    keys: fc.array(anyManagingKey, { minLength: 2, maxLength: 4 }),
  })
  .map(({ world: { accounts }, keys }) => ({
    keys,
    accounts: accounts.map(({ selected, items }) => ({
      items,
      selected: { ...selected, tools: [...selected.tools, ...managementToolIds] },
    })),
  }));

interface Caller {
  built: BuiltWorld;
  createdKey: CreatedKey;
  reader: Reader;
}

/** Returns the marks of all items and components that the key can read now. */
function readableMarks({ built, createdKey: { oracle } }: Caller): Set<string> {
  return new Set(
    ITEM_FAMILIES.flatMap((family) =>
      reached(built.oracleWorld, oracle, family).flatMap((item) => {
        const mark = built.marks.get(item.id);
        if (mark === undefined) return [];
        const parts =
          family === 'agents' ? applying(built.oracleWorld, oracle, item as OracleAgent) : [];
        return [mark, ...parts.map((part) => `${mark}/${part}`)];
      }),
    ),
  );
}

const MARK = /mark-[\da-f-]{36}(?:\/part_\d+)?/g;

/** Calls a tool; fails if its response contains a mark that no read would show. */
async function callTool(
  caller: Caller,
  name: string,
  input: object,
  changed: (answer: { id: string }) => void = () => {},
) {
  const { text, body } = await caller.reader.exchange(stage.gateways[1], 'tools/call', {
    name,
    arguments: input,
  });
  const { isError, structuredContent: content } = body.result ?? {};
  if (isError !== true && content !== undefined) changed(content as unknown as { id: string });
  // The text repeats the structured content as JSON within JSON.
  const shown = new Set(text.match(MARK) ?? []);
  const hidden = shown.difference(readableMarks(caller));
  const label = `${name} ${JSON.stringify(input)}: ${text}`;
  expect([...hidden], label).toEqual([]);
  // A readable item must be returned in full; any other with its id and version only.
  if (isError === true || content === undefined || !/^(?:create|update|patch)/.test(name)) return;
  const id = (content as unknown as { id: string }).id;
  const isReadable = readableMarks(caller).has(caller.built.marks.get(id)!);
  if (!isReadable) expect(Object.keys(content), label).toEqual(['id', 'version']);
  else expect(shown, label).toContain(caller.built.marks.get(id));
}

interface Target {
  who: number;
  id: string;
  family: ItemFamily;
}

const itemsOf = (built: BuiltWorld): Target[] =>
  built.oracleWorld.accounts.flatMap((account, who) =>
    ITEM_FAMILIES.flatMap((family) => account[family].map(({ id }) => ({ who, id, family }))),
  );

async function readEverything(caller: Caller) {
  for (const family of ITEM_FAMILIES) {
    const noun = nouns[family];
    await callTool(caller, `list_${noun}s`, { limit: 200 });
    const own = itemsOf(caller.built).filter((one) => one.family === family);
    for (const { id } of own) await callTool(caller, `get_${noun}`, { id });
  }
  await callTool(caller, 'grep_resource', { pattern: 'mark-' });
}

/** Requests an invalid change, whose error might quote the stored content. */
const breakItem = (caller: Caller, { id, family }: Pick<Target, 'id' | 'family'>) =>
  callTool(caller, `patch_${nouns[family]}`, {
    id,
    ...(family === 'prompts' ? { arguments: [] } : { description: '' }),
  });

/**
 * Does so for all of the caller's items: random steps rarely reach writable but unreadable ones.
 */
async function breakEverything(caller: Caller) {
  for (const target of itemsOf(caller.built))
    if (target.who === caller.createdKey.oracle.account) await breakItem(caller, target);
}

/** Makes one write and records it in the oracle if it succeeds. */
async function write(caller: Caller, { verb, family, target, name: nameIndex }: Step) {
  const { built, createdKey } = caller;
  const noun = nouns[family];
  const who = createdKey.oracle.account;
  const { marker } = built.tenants[who]!;
  const account = built.accounts[who]!;
  const name = pool[family][nameIndex % pool[family].length]!;
  const mark = `mark-${randomUUID()}`;
  const draft = (itemName: string) => {
    const written = { name: itemName, marker, mark, components: [], upstream: stage.upstream };
    return contentOf(family, written);
  };
  const isTaken = (id?: string) =>
    account[family].some((one) => one.name === name && one.id !== id);
  if (verb === 'create') {
    if (isTaken()) return;
    await callTool(caller, `create_${noun}`, draft(name), ({ id }) => {
      account[family].push({ id, name, components: [] });
      built.marks.set(id, mark);
    });
    return;
  }
  const all = itemsOf(built).filter((one) => one.family === family);
  if (all.length === 0) return;
  const { id, who: owner } = all[target % all.length]!;
  const item = account[family].find((one) => one.id === id);
  const nameField = family === 'resources' ? 'path' : 'name';
  const writers = {
    update: () =>
      callTool(caller, `update_${noun}`, { id, ...draft(item?.name ?? name) }, () => {
        built.marks.set(id, mark);
        item!.components = [];
      }),
    patch: () => callTool(caller, `patch_${noun}`, { id }),
    rename: async () => {
      if (isTaken(id)) return;
      await callTool(caller, `patch_${noun}`, { id, [nameField]: name }, () => {
        item!.name = name;
      });
    },
    break: () => breakItem(caller, { id, family }),
    stale: () => callTool(caller, `patch_${noun}`, { id, if_version: 999, description: 'Never.' }),
    delete: () =>
      callTool(caller, `delete_${noun}`, { id }, () => {
        account[family] = account[family].filter((one) => one.id !== id);
      }),
  };
  await writers[verb]();
  if (owner !== who) expect(built.accounts[owner]![family].some((one) => one.id === id)).toBe(true);
}

test(
  'no management tool shows content that the same key could not read (P1)',
  async () => {
    const steps = fc.array(anyStep, { minLength: 15, maxLength: 25 });
    await checkProperty(
      3,
      fc.asyncProperty(anyManagedWorld, steps, async (plan, rest) => {
        await stage.inWorld(plan, async (built) => {
          const callers = built.keys.map((createdKey, index) => ({
            ...{ built, createdKey },
            reader: createReader(createdKey.secret, index % 2 === 0 ? '2026' : '2025'),
          }));
          for (const caller of callers) {
            await readEverything(caller);
            await breakEverything(caller);
          }
          for (const step of rest) await write(callers[step.key % callers.length]!, step);
          for (const caller of callers) await readEverything(caller);
        });
      }),
    );
  },
  scaledTimeout(60_000),
);

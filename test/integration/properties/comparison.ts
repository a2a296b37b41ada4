import { expect } from 'vitest';
import {
  applying,
  contextOf,
  introduction,
  listed,
  outcomeOfCall,
  outcomeOfRead,
  reached,
  systemTools,
} from '../../oracle/reach.ts';
import type { Bootstrap, OracleOutcome } from '../../oracle/reach.ts';
import type { OracleAgent, OracleKey, OracleWorld } from '../../oracle/world.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import type { ItemFamily } from '../../support/worlds/worlds.ts';
import { argumentsOf, promptArguments } from './agents-reach.ts';
import type { Reader } from './reader.ts';

/** Names that no item has; some are properties of every JavaScript object. */
export const ABSENT_NAMES = ['no_such_thing', '__proto__', 'constructor'];

const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name);

/** A key in the service, used at one gateway, and the same key in the oracle. */
export interface Compared {
  oracleWorld: OracleWorld;
  key: OracleKey;
  reader: Reader;
  at: Gateway;
  /** Names to request, besides those of built-in items. */
  names: Readonly<Record<ItemFamily, readonly string[]>>;
  /** Texts that no response may contain (P1). */
  foreign: readonly string[];
}

/** Compares all lists and responses of one key with each other and with the oracle. */
export async function compareKey(compared: Compared): Promise<void> {
  await Promise.all([
    compareTools(compared),
    compareContent(compared, 'prompts'),
    compareContent(compared, 'resources'),
    compareAgents(compared),
  ]);
  expectNothingForeign(compared);
}

/** Compares only the lists, after a change in another account. */
export async function compareLists({ oracleWorld, key, reader, at }: Compared) {
  for (const family of ['tools', 'prompts', 'resources'] as const)
    expect(await reader.list(at, family), `${family}/list`).toEqual(
      listed(oracleWorld, key, family),
    );
}

/** Requests all names at once; returns the outcome of each. */
export async function requestAll(
  requested: readonly string[],
  send: (name: string) => Promise<OracleOutcome>,
) {
  return new Map(
    await Promise.all(requested.map(async (name) => [name, await send(name)] as const)),
  );
}

async function compareTools({ oracleWorld, key, reader, at, names }: Compared) {
  const governed = [...namesOf(oracleWorld.builtIn), ...names.tools, ...ABSENT_NAMES];
  const list = await reader.list(at, 'tools');
  const outcomes = await requestAll([...systemTools, ...governed], (name) =>
    reader.call(at, name, argumentsOf(name)),
  );

  const callable = governed.filter((name) => outcomes.get(name) === 'runs');
  const shown = list?.filter((name) => !systemTools.includes(name)) ?? [];
  expect(shown, 'the list equals what can be called').toEqual(sorted(callable));
  expect(list, 'tools/list').toEqual(listed(oracleWorld, key, 'tools'));
  for (const [name, outcome] of outcomes)
    expect(outcome, `call ${name}`).toBe(outcomeOfCall(oracleWorld, key, name));
}

async function compareContent(
  { oracleWorld, key, reader, at, names }: Compared,
  family: 'prompts' | 'resources',
) {
  const builtIn = family === 'prompts' ? namesOf(oracleWorld.platformPrompts) : [];
  const list = await reader.list(at, family);
  const outcomes = await requestAll([...builtIn, ...names[family], ...ABSENT_NAMES], (name) =>
    family === 'prompts' ? reader.get(at, name, promptArguments(name)) : reader.read(at, name),
  );

  const readable = [...outcomes.keys()].filter((name) => outcomes.get(name) === 'runs');
  expect(list ?? [], `the list of ${family} equals what can be read`).toEqual(sorted(readable));
  expect(list, `${family}/list`).toEqual(listed(oracleWorld, key, family));
  for (const [name, outcome] of outcomes)
    expect(outcome, `${family}: ${name}`).toBe(outcomeOfRead(oracleWorld, key, family, name));
}

const unnamedBootstraps: readonly Bootstrap[] = [
  { primary_agent: true },
  { primary_agent: true, request_agent_catalog: true },
  { primary_agent: false, agent_selection: 'self' },
  { primary_agent: false, agent_selection: 'none' },
  { primary_agent: false, agent_selection: 'none', request_agent_catalog: true },
];
const namedBootstraps = (agent_name: string): Bootstrap[] => [
  { primary_agent: true, agent_name },
  { primary_agent: false, agent_selection: 'named', agent_name },
];

async function compareAgents({ oracleWorld, key, reader, at, names }: Compared) {
  const requested = [
    ...unnamedBootstraps,
    ...[...names.agents, 'no_such_thing'].flatMap(namedBootstraps),
  ];
  const own = reached(oracleWorld, key, 'agents') as OracleAgent[];
  const contexts = [...names.agents, ...ABSENT_NAMES].flatMap((name) => {
    const agent = own.find((one) => one.name === name);
    const applicable = agent === undefined ? [] : applying(oracleWorld, key, agent);
    return [applicable, [...applicable, 'no_such_part'], applicable.slice(1)].map((components) => ({
      name,
      components,
    }));
  });
  await Promise.all([
    ...requested.map(async (one) => {
      const label = `bootstrap ${JSON.stringify(one)}`;
      expect(await reader.bootstrap(at, one), label).toEqual(introduction(oracleWorld, key, one));
    }),
    ...contexts.map(async ({ name, components }) => {
      const label = `agent_context ${name} with ${components.join(' ')}`;
      const context = await reader.context(at, name, components);
      expect(context, label).toEqual(contextOf(oracleWorld, key, name, components));
    }),
  ]);
}

/** Expects that no response contained anything foreign (P1). */
export function expectNothingForeign({ reader, foreign }: Compared) {
  const text = reader.responses.join('\n');
  expect(
    foreign.filter((mark) => text.includes(mark)),
    'no data of others',
  ).toEqual([]);
}

const sorted = (texts: readonly string[]) => texts.toSorted(byCode);
const byCode = (left: string, right: string) => (left < right ? -1 : Number(left > right));

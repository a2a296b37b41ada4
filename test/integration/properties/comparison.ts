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
import type { OracleAgent } from '../../oracle/world.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { pool } from '../../support/worlds/worlds.ts';
import { argumentsOf, promptArguments } from './agents-reach.ts';
import type { BuiltWorld, CreatedKey } from './built-world.ts';
import type { Reader } from './reader.ts';

/** Names that no item has; some are properties of every JavaScript object. */
const ABSENT_NAMES = ['no_such_thing', '__proto__', 'constructor'];

const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);

export interface Compared {
  built: BuiltWorld;
  createdKey: CreatedKey;
  reader: Reader;
  at: Gateway;
}

/** Compares all lists and responses of one key with each other and with the oracle. */
export async function compareKey(compared: Compared): Promise<void> {
  await Promise.all([
    compareTools(compared),
    compareContent(compared, 'prompts'),
    compareContent(compared, 'resources'),
    compareAgents(compared),
  ]);
  expectOwn(compared);
}

/** Compares only the lists, after a change in another account. */
export async function compareLists({ built, createdKey, reader, at }: Compared) {
  for (const family of ['tools', 'prompts', 'resources'] as const)
    expect(await reader.list(at, family), `${family}/list`).toEqual(
      listed(built.oracleWorld, createdKey.oracle, family),
    );
}

/** Requests all names at once; returns the outcome of each. */
async function ask(requested: readonly string[], one: (name: string) => Promise<OracleOutcome>) {
  return new Map(
    await Promise.all(requested.map(async (name) => [name, await one(name)] as const)),
  );
}

async function compareTools({ built, createdKey, reader, at }: Compared) {
  const { oracleWorld } = built;
  const governed = [...names(oracleWorld.builtIn), ...pool.tools, ...ABSENT_NAMES];
  const list = await reader.list(at, 'tools');
  const outcomes = await ask([...systemTools, ...governed], (name) =>
    reader.call(at, name, argumentsOf(name)),
  );

  const callable = governed.filter((name) => outcomes.get(name) === 'runs');
  const shown = list?.filter((name) => !systemTools.includes(name)) ?? [];
  expect(shown, 'the list equals what can be called').toEqual(sorted(callable));
  expect(list, 'tools/list').toEqual(listed(oracleWorld, createdKey.oracle, 'tools'));
  for (const [name, outcome] of outcomes)
    expect(outcome, `call ${name}`).toBe(outcomeOfCall(oracleWorld, createdKey.oracle, name));
}

async function compareContent(
  { built, createdKey, reader, at }: Compared,
  family: 'prompts' | 'resources',
) {
  const { oracleWorld } = built;
  const brought = family === 'prompts' ? names(oracleWorld.platformPrompts) : [];
  const list = await reader.list(at, family);
  const outcomes = await ask([...brought, ...pool[family], ...ABSENT_NAMES], (name) =>
    family === 'prompts' ? reader.get(at, name, promptArguments(name)) : reader.read(at, name),
  );

  const readable = [...outcomes.keys()].filter((name) => outcomes.get(name) === 'runs');
  expect(list ?? [], `the list of ${family} equals what can be read`).toEqual(sorted(readable));
  expect(list, `${family}/list`).toEqual(listed(oracleWorld, createdKey.oracle, family));
  for (const [name, outcome] of outcomes)
    expect(outcome, `${family}: ${name}`).toBe(
      outcomeOfRead(oracleWorld, createdKey.oracle, family, name),
    );
}

const unnamed: readonly Bootstrap[] = [
  { primary_agent: true },
  { primary_agent: true, request_agent_catalog: true },
  { primary_agent: false, agent_selection: 'self' },
  { primary_agent: false, agent_selection: 'none' },
  { primary_agent: false, agent_selection: 'none', request_agent_catalog: true },
];
const naming = (agent_name: string): Bootstrap[] => [
  { primary_agent: true, agent_name },
  { primary_agent: false, agent_selection: 'named', agent_name },
];

async function compareAgents({ built, createdKey, reader, at }: Compared) {
  const { oracleWorld } = built;
  const key = createdKey.oracle;
  const requested = [...unnamed, ...[...pool.agents, 'no_such_thing'].flatMap(naming)];
  const own = reached(oracleWorld, key, 'agents') as OracleAgent[];
  const contexts = [...pool.agents, ...ABSENT_NAMES].flatMap((name) => {
    const agent = own.find((one) => one.name === name);
    const now = agent === undefined ? [] : applying(oracleWorld, key, agent);
    return [now, [...now, 'no_such_part'], now.slice(1)].map((components) => ({
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
      const given = await reader.context(at, name, components);
      expect(given, label).toEqual(contextOf(oracleWorld, key, name, components));
    }),
  ]);
}

/** Expects that no response contained a marker or id of another account (P1). */
function expectOwn({ built, createdKey, reader }: Compared) {
  const text = reader.responses.join('\n');
  for (const [who, { marker, account_id, email }] of built.tenants.entries()) {
    if (who === createdKey.oracle.account) continue;
    const account = built.oracleWorld.accounts[who];
    const ids = account === undefined ? [] : built.idsOf(who);
    const foreign = [marker, account_id, email, ...ids].filter((mark) => text.includes(mark));
    expect(foreign, 'no data of another account').toEqual([]);
  }
}

const sorted = (texts: readonly string[]) => texts.toSorted(byCode);
const byCode = (left: string, right: string) => (left < right ? -1 : Number(left > right));

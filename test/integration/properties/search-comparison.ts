import { expect } from 'vitest';
import { listed, outcomeOfCall, systemTools } from '../../oracle/reach.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { argumentsOf } from './agents-reach.ts';
import { ABSENT_NAMES, expectNothingForeign, requestAll } from './comparison.ts';
import type { Compared } from './comparison.ts';
import type { Reader } from './reader.ts';

const SEARCH_TOOLS = ['run_tool', 'search_tools'];

/** The result of `search_tools`, as far as it is compared. */
interface Found {
  tools: { name: string }[];
  next_cursor?: string;
}

/** Returns the names that a search finds, in order; null if the credential has no `search_tools`. */
async function search(
  reader: Reader,
  at: Gateway,
  input: { query?: string; limit?: number },
): Promise<string[] | null> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { body, text } = await reader.exchange(at, 'tools/call', {
      name: 'search_tools',
      arguments: { ...input, ...(cursor === undefined ? {} : { cursor }) },
    });
    const content = body.result?.structuredContent as (Found & { error?: object }) | undefined;
    if (content?.error !== undefined || body.error !== undefined) return null;
    if (content === undefined) throw new Error(`search_tools: ${text}`);
    names.push(...content.tools.map(({ name }) => name));
    cursor = content.next_cursor;
  } while (cursor !== undefined);
  return names;
}

/**
 * Compares what a credential that searches for its tools lists, finds and can run with each other
 * and with the oracle, in which it lists all of them.
 */
export async function compareSearch(compared: Compared): Promise<void> {
  const { oracleWorld, key, reader, at, names } = compared;
  const all = listed(oracleWorld, key, 'tools');
  const list = await reader.list(at, 'tools');
  if (all === null || list === null) {
    expect([list, all]).toEqual([null, null]);
    return;
  }
  const expected = all.filter((name) => !systemTools.includes(name));
  const governed = [
    ...oracleWorld.builtIn.map(({ name }) => name),
    ...names.tools,
    ...ABSENT_NAMES,
  ];
  const ran = await requestAll(governed, (name) =>
    reader.call(at, 'run_tool', { name, arguments: argumentsOf(name) }),
  );
  for (const [name, outcome] of ran)
    expect(outcome, `run_tool ${name}`).toBe(outcomeOfCall(oracleWorld, key, name));

  const found = await search(reader, at, { limit: 3 });
  if (found === null) {
    expect(list, 'without Tools').toEqual(systemTools.toSorted());
    expect(expected).toEqual([]);
  } else {
    expect(list, 'tools/list').toEqual([...systemTools, ...SEARCH_TOOLS].toSorted());
    expect(found, 'an empty query finds the whole list').toEqual(expected);
    for (const name of expected)
      expect(await search(reader, at, { query: name }), `search ${name}`).toContain(name);
    for (const query of ['tool', 'calculator', 'marker'])
      expect(expected, `search ${query}`).toEqual(
        expect.arrayContaining((await search(reader, at, { query })) ?? []),
      );
  }
  expectNothingForeign(compared);
}

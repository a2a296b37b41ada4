import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, PURE } from '../../../src/catalog/tool.ts';
import { startEndpoint } from './endpoint.ts';
import type { EndpointInputs } from './endpoint.ts';

const SYSTEM = ['setup', 'bootstrap', 'agent_context'];
const SEARCH = ['search_tools', 'run_tool'];
const CALLABLE = ['breaks', 'echo', 'fails', 'hangs', 'refuses', 'waits'];

const start = (changes: Partial<EndpointInputs> = {}) =>
  startEndpoint({ tool_listing: 'search', ...changes });
type Endpoint = Awaited<ReturnType<typeof start>>;

const listedBy = async ({ post }: Endpoint): Promise<string[]> =>
  (await post('tools/list')).body.result.tools.map(({ name }: { name: string }) => name);

/** Returns the names that a search finds, over all of its pages. */
async function foundBy({ call }: Endpoint, search: object): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await call('search_tools', { ...search, ...(cursor && { cursor }) });
    const { tools, next_cursor } = body.result.structuredContent;
    names.push(...tools.map(({ name }: { name: string }) => name));
    cursor = next_cursor;
  } while (cursor !== undefined);
  return names;
}

describe('a credential that searches for its tools', () => {
  test('lists the system tools, search_tools and run_tool, in pages too', async () => {
    const endpoint = await start();
    const paged = await start({ pageItems: 2 });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await paged.post('tools/list', cursor === undefined ? {} : { cursor });
      names.push(...body.result.tools.map(({ name }: { name: string }) => name));
      cursor = body.result.nextCursor;
    } while (cursor !== undefined);

    expect(await listedBy(endpoint)).toEqual([...SYSTEM, ...SEARCH]);
    expect(names).toEqual([...SYSTEM, ...SEARCH]);
  });

  test.each([1, 2, 5, 50])(
    'finds by an empty query, in pages of %i, exactly what another one lists',
    async (limit) => {
      const [searching, listing] = [await start(), await startEndpoint()];

      expect(await foundBy(searching, { limit })).toEqual(CALLABLE);
      expect(await listedBy(listing)).toEqual([...SYSTEM, ...CALLABLE]);
    },
  );

  test('gets a tool that fits with all that a call of it needs', async () => {
    const { call } = await start();
    const { body } = await call('search_tools', { query: 'ECHO' });

    expect(body.result.structuredContent).toEqual({
      tools: [
        {
          name: 'echo',
          title: 'echo',
          description: 'The tool echo.',
          input_schema: expect.objectContaining({ type: 'object' }),
          annotations: PURE,
        },
      ],
    });
  });

  test('calls tools by their own names and with run_tool, with equal responses', async () => {
    const { call } = await start();
    const calls = [
      ['echo', { value: 'ü' }],
      ['echo', undefined],
      ['echo', { value: 5 }],
      ['echo', 'text'],
      ['fails', {}],
      ['breaks', {}],
      ['refuses', {}],
      ['hangs', {}],
      ['nothing', {}],
      ['excluded', {}],
      ['unselected', { value: 5 }],
    ] as const;
    for (const [name, input] of calls) {
      const own = await call(name, input);
      const ran = await call('run_tool', { name, ...(input && { arguments: input }) });
      const { status, body } = ran;
      const isMalformed = input === 'text';

      expect(status).toBe(own.status);
      if (isMalformed) expect(body.error.data.issues[0].pointer).toBe('/arguments');
      else expect(body).toEqual(own.body);
    }
  });

  test('is charged, recorded and observed as if it had named the tool itself', async () => {
    const own = await start({ audit_arguments: true });
    const ran = await start({ audit_arguments: true });
    await own.call('echo', { value: 'x' });
    await ran.call('run_tool', { name: 'echo', arguments: { value: 'x' } });
    const factsOf = ({ admissions, recorded, observed }: Endpoint) => ({
      admissions: admissions.map(({ kind, facts }) => [kind, facts]),
      recorded: recorded.map(({ kind, facts, outcome, layer }) => [kind, facts, outcome, layer]),
      observed: observed.map(({ kind, item, outcome }) => [kind, item?.name, outcome]),
    });

    expect(factsOf(ran)).toEqual(factsOf(own));
    expect(ran.admissions).toHaveLength(1);
    expect(ran.recorded[0]?.facts).toMatchObject({
      item_id: ran.toolId('echo'),
      arguments: JSON.stringify({ value: 'x' }),
    });
  });

  test('pays for a search like for a system tool: with the windows, not the month', async () => {
    const { call, admissions } = await start();
    await call('search_tools', {});
    await call('search_tools', { query: 'echo' });

    expect(admissions.map(({ kind }) => kind)).toEqual(['system_call', 'system_call']);
  });

  test.each([...SYSTEM, ...SEARCH])(
    'cannot run %s with run_tool, which costs nothing and says why',
    async (name) => {
      const { call, admissions } = await start();
      const { body } = await call('run_tool', { name, arguments: {} });

      expect(body.error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('must be a tool that `search_tools` finds'),
        data: { issues: [{ pointer: '/name' }] },
      });
      expect(admissions).toEqual([]);
    },
  );

  test.each([
    ['no arguments', undefined, '/name'],
    ['no name', {}, '/name'],
    ['a number as the name', { name: 5 }, '/name'],
    ['a list as the arguments', { name: 'echo', arguments: [] }, '/arguments'],
    ['another field', { name: 'echo', value: 'x' }, '/value'],
  ])('gets invalid_params for run_tool with %s', async (_fault, input, pointer) => {
    const { call, admissions } = await start();
    const { body } = await call('run_tool', input);

    expect(body.error).toMatchObject({ code: -32602, data: { issues: [{ pointer }] } });
    expect(admissions).toEqual([]);
  });

  test.each([
    ['a query that is too long', { query: 'x'.repeat(201) }],
    ['no results', { limit: 0 }],
    ['too many results', { limit: 51 }],
    ['a cursor of nobody', { cursor: 'x' }],
    ['another field', { name: 'echo' }],
  ])('gets an error for %s', async (_fault, input) => {
    const { call, admissions } = await start();

    expect((await call('search_tools', input)).body.error.code).toBe(-32602);
    expect(admissions).toEqual([]);
  });

  test('cannot continue one query with the cursor of another', async () => {
    const { call } = await start();
    const { body } = await call('search_tools', { limit: 1 });
    const cursor = body.result.structuredContent.next_cursor;
    const other = await call('search_tools', { query: 'echo', cursor });

    expect(other.body.error.data.code).toBe('invalid_cursor');
    expect((await call('search_tools', { cursor })).body.error).toBeUndefined();
  });

  test('without Tools has exactly the three system tools (C1, P12)', async () => {
    const endpoint = await start({ capabilities: ['agents'] });
    const { call, admissions } = endpoint;
    const answers = [
      await call('search_tools', {}),
      await call('run_tool', { name: 'echo' }),
      await call('run_tool', { name: 'setup' }),
      await call('run_tool', 'nothing'),
    ];

    expect(await listedBy(endpoint)).toEqual(SYSTEM);
    for (const { body } of answers)
      expect(body.result.structuredContent.error.code).toBe('capability_denied');
    expect(admissions).toEqual([]);
  });

  test('sends a header of an argument with run_tool only if it fits', async () => {
    const routed = defineTool({
      id: '0190bbbb-0000-7000-8000-000000000001',
      name: 'routed',
      title: 'Routed',
      description: 'A tool with an argument that a header repeats.',
      input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
      output: z.looseObject({}),
      annotations: PURE,
      timeout_ms: 1_000,
      examples: [],
      run: ({ region }: { region: string }) => ({ region }),
    });
    const { call } = await start({ tools: [routed], selected: ['routed'], excluded: [] });
    const input = { name: 'routed', arguments: { region: 'eu' } };
    const run = async (headers: Record<string, string>) =>
      (await call('run_tool', input, { headers })).body.error?.code;

    expect((await call('routed', { region: 'eu' })).body.error.code).toBe(-32020);
    expect(await run({})).toBeUndefined();
    expect(await run({ 'mcp-param-region': 'eu' })).toBeUndefined();
    expect(await run({ 'mcp-param-region': 'us' })).toBe(-32020);
  });
});

describe('a credential that lists all its tools', () => {
  test('has neither search_tools nor run_tool, as if they did not exist', async () => {
    const { call, admissions } = await startEndpoint();
    const absent = (await call('nothing', {})).body;

    expect((await call('search_tools', {})).body).toEqual(absent);
    expect((await call('run_tool', { name: 'echo' })).body).toEqual(absent);
    expect((await call('run_tool', 'nothing')).body).toEqual(absent);
    expect(admissions).toEqual([]);
  });
});

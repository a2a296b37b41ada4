import { describe, expect, test } from 'vitest';
import { startEndpoint } from './endpoint.ts';

const toolError = (code: string, message: unknown, details?: unknown) => {
  const error = details === undefined ? { code, message } : { code, message, details };
  return {
    jsonrpc: '2.0',
    id: 7,
    result: expect.objectContaining({
      isError: true,
      structuredContent: { error },
      content: [{ type: 'text', text: expect.stringContaining(`"code":"${code}"`) }],
    }),
  };
};
const protocolError = (code: number, message: string) => ({
  jsonrpc: '2.0',
  id: 7,
  error: { code, message },
});
const invalidParams = (pointer: string) => ({
  jsonrpc: '2.0',
  id: 7,
  error: {
    code: -32602,
    message: 'Invalid params',
    data: { code: 'invalid_params', issues: [{ pointer, message: expect.any(String) }] },
  },
});
const notPermitted = toolError(
  'tool_not_permitted',
  'This tool is not permitted for this credential.',
);
const limited = {
  session: null,
  admitted: false,
  window: 'hour',
  limit: 1_000,
  retry_after_seconds: 33,
} as const;

describe('a tool call', () => {
  test('answers with structured content and the same as text, counts once and is recorded', async () => {
    const { call, asked, recorded } = await startEndpoint();

    const { status, body } = await call('echo', { value: 'ü' });

    expect([status, body]).toEqual([
      200,
      {
        jsonrpc: '2.0',
        id: 7,
        result: {
          resultType: 'complete',
          _meta: {
            'io.modelcontextprotocol/serverInfo': expect.objectContaining({
              name: 'toolgate',
              version: '1.2.3',
            }),
          },
          content: [{ type: 'text', text: '{"value":"ü"}' }],
          structuredContent: { value: 'ü' },
        },
      },
    ]);
    expect(asked).toEqual([
      { owner: expect.anything(), kind: 'tool_call', call_id: expect.any(String) },
    ]);
    expect(recorded).toEqual([
      expect.objectContaining({
        call_id: asked[0]!.call_id,
        tool_name: 'echo',
        month: '2026-01',
        outcome: 'ok',
        kind: 'tool_call',
      }),
    ]);
  });

  test.each([
    ['fails', toolError('invalid_expression', 'Cannot be computed.', { at: 3 }), 'tool_error'],
    ['refuses', toolError('not_found', 'Not found.'), 'tool_error'],
    ['hangs', toolError('timed_out', 'The tool took too long.'), 'timed_out'],
    ['breaks', protocolError(-32603, 'Internal error'), 'failed'],
  ])(
    'that %s answers in its form, leaks nothing and counts once',
    async (name, expected, outcome) => {
      const { call, asked, recorded } = await startEndpoint();

      const { status, body } = await call(name, {});

      expect([status, body]).toEqual([200, expected]);
      expect(asked).toHaveLength(1);
      expect(recorded.map((row) => row.outcome)).toEqual([outcome]);
    },
  );

  test('whose client leaves is cancelled and stays counted once (rel:B3-30)', async () => {
    const { call, asked, recorded } = await startEndpoint();
    const leave = new AbortController();
    const leaving = call('waits', {}, { signal: leave.signal }).catch(() => 'left');
    await expect.poll(() => asked.length).toBe(1);
    leave.abort();

    expect(await leaving).toBe('left');
    await expect.poll(() => recorded.map((row) => row.outcome)).toEqual(['cancelled']);
  });

  test.each([
    ['a name that is missing', undefined, {}, invalidParams('/name')],
    ['a name that is a number', 5, {}, invalidParams('/name')],
    ['arguments that are a list', 'echo', [], invalidParams('/arguments')],
    ['arguments that do not fit', 'echo', { value: 5 }, invalidParams('/value')],
    ['an absent tool', 'nothing', {}, protocolError(-32601, 'Not found')],
    ['__proto__', '__proto__', {}, protocolError(-32601, 'Not found')],
    ['constructor', 'constructor', {}, protocolError(-32601, 'Not found')],
    ['an unselected tool', 'unselected', {}, notPermitted],
    ['a tool the policy excludes', 'excluded', {}, notPermitted],
  ])(
    'of %s is refused and costs nothing (rel:B3-10, B3-11)',
    async (_name, tool, args, expected) => {
      const { call, asked, recorded } = await startEndpoint();

      const { status, body } = await call(tool, args);

      expect([status, body]).toEqual([200, expected]);
      expect([asked, recorded]).toEqual([[], []]);
    },
  );

  test.each([
    ['capability before absence', { capabilities: [] }, 'nothing', 5, 'capability_denied'],
    ['capability before selection', { capabilities: [] }, 'unselected', 5, 'capability_denied'],
    ['absence before arguments', {}, 'nothing', 5, -32601],
    ['permission before arguments', {}, 'excluded', 5, 'tool_not_permitted'],
    ['arguments before limits', { admission: limited }, 'echo', 5, -32602],
    ['limits last', { admission: limited }, 'echo', 'x', 'rate_limited'],
  ])('with two faults names %s', async (_order, changes, name, value, expected) => {
    const { call } = await startEndpoint(changes as never);

    const { body } = await call(name, { value });

    expect(body.error?.code ?? body.result.structuredContent.error.code).toBe(expected);
  });

  test('beyond a window is a tool error that says which and when, never HTTP 429 (rel:B3-29)', async () => {
    const { call } = await startEndpoint({ admission: limited });

    const { status, body } = await call('echo', {});

    expect([status, body]).toEqual([
      200,
      toolError('rate_limited', expect.any(String), {
        window: 'hour',
        limit: 1_000,
        retry_after_seconds: 33,
      }),
    ]);
  });

  test.each([
    ['rights are not known', { capabilities: 'unavailable' }],
    ['usage cannot be kept', { admission: 'unavailable' }],
  ])('is an internal error without data when %s', async (_name, changes) => {
    const { call } = await startEndpoint(changes as never);

    const { status, body } = await call('echo', {});

    expect([status, body]).toEqual([200, protocolError(-32603, 'Internal error')]);
  });
});

describe('system tools', () => {
  const agents = { capabilities: ['agents'] } as const;
  const answerOf = async (changes: object, name: string, args: object) => {
    const { call, asked } = await startEndpoint(changes as never);
    const { body } = await call(name, args);
    const result = body.result?.structuredContent;
    return { answer: result?.error?.code ?? result ?? body.error.code, asked };
  };
  const stateOf = async (changes: object, args: object) => {
    const { answer } = await answerOf(changes, 'bootstrap', args);
    return typeof answer === 'object' ? [answer.agent, answer.catalog] : answer;
  };
  const disabled = [{ status: 'disabled' }, { status: 'disabled' }];
  const available = { status: 'available', agents: [] };
  const notRequested = { status: 'not_requested' };

  test.each([
    ['empty arguments', agents, {}, -32602],
    ['a flag that is a string', agents, { primary_agent: 'true' }, -32602],
    [
      'a primary with a selection',
      agents,
      { primary_agent: true, agent_selection: 'self' },
      -32602,
    ],
    ['a subagent without one', agents, { primary_agent: false }, -32602],
    ['named without a name', agents, { primary_agent: false, agent_selection: 'named' }, -32602],
    [
      'a name without named',
      agents,
      { primary_agent: false, agent_selection: 'none', agent_name: 'x' },
      -32602,
    ],
    ['an unknown argument', agents, { primary_agent: true, x: 1 }, -32602],
    ['a primary without Agents', {}, { primary_agent: true }, disabled],
    ['a subagent without Agents', {}, { primary_agent: false, agent_selection: 'self' }, disabled],
    [
      'named without Agents',
      {},
      { primary_agent: false, agent_selection: 'named', agent_name: 'x' },
      'capability_denied',
    ],
    [
      'a primary that names one without Agents',
      {},
      { primary_agent: true, agent_name: 'x' },
      'capability_denied',
    ],
    ['a primary', agents, { primary_agent: true }, [{ status: 'selection_available' }, available]],
    [
      'a primary that names an absent one',
      agents,
      { primary_agent: true, agent_name: 'x' },
      -32601,
    ],
    [
      'self',
      agents,
      { primary_agent: false, agent_selection: 'self' },
      [{ status: 'selection_available' }, available],
    ],
    [
      'none',
      agents,
      { primary_agent: false, agent_selection: 'none' },
      [{ status: 'none' }, notRequested],
    ],
    [
      'none that asks for the catalogue',
      agents,
      { primary_agent: false, agent_selection: 'none', request_agent_catalog: true },
      [{ status: 'none' }, available],
    ],
    [
      'named that is absent',
      agents,
      { primary_agent: false, agent_selection: 'named', agent_name: 'x' },
      -32601,
    ],
  ])('bootstrap of %s (B1-B5, rel:B3-13)', async (_name, changes, args, expected) => {
    expect(await stateOf(changes, args)).toEqual(expected);
  });

  test.each([
    [{}, 'capability_denied'],
    [agents, { status: 'agent_context_unavailable' }],
  ])('agent_context %# (B1, B7, rel:B3-14)', async (changes, expected) => {
    const { answer } = await answerOf(changes, 'agent_context', { name: 'x', components: [] });

    expect(answer).toEqual(expected);
  });

  test('setup answers for every client without rights, and never with a secret (A9)', async () => {
    const clients = [
      'claude_code',
      'claude_desktop',
      'cursor',
      'vscode',
      'codex',
      'gemini_cli',
      'chatgpt',
      'other',
    ];
    for (const client of clients) {
      const { answer } = await answerOf({ capabilities: 'unavailable' }, 'setup', { client });

      expect(answer).toEqual({ client, instruction: expect.stringContaining('bootstrap') });
      expect(answer.instruction).not.toMatch(/sk_|YOUR_API_KEY/);
    }
    expect((await answerOf({}, 'setup', {})).answer.client).toBe('other');
    expect((await answerOf({}, 'setup', { client: 'emacs' })).answer).toBe(-32602);
  });

  test('need no Tools and no policy, count in the windows and not in the month', async () => {
    const { answer, asked } = await answerOf({ capabilities: [] }, 'bootstrap', {
      primary_agent: true,
    });

    expect(answer.context).toContain('https://app.example');
    expect(asked).toEqual([expect.objectContaining({ kind: 'system_call' })]);
  });

  test('that refuse cost nothing, and are limited like others', async () => {
    const denied = await answerOf({}, 'agent_context', { name: 'x', components: [] });
    const over = await answerOf({ admission: limited }, 'bootstrap', { primary_agent: true });

    expect(denied.asked).toEqual([]);
    expect(over.answer).toBe('rate_limited');
  });
});

describe('lists', () => {
  const namesOf = (body: { result: { tools: { name: string }[] } }) =>
    body.result.tools.map(({ name }) => name);

  test('show system tools first, then what can be called, by name (S4)', async () => {
    const { post } = await startEndpoint();

    const { body } = await post('tools/list');

    expect(namesOf(body)).toEqual([
      'setup',
      'bootstrap',
      'agent_context',
      'breaks',
      'echo',
      'fails',
      'hangs',
      'refuses',
      'waits',
    ]);
    expect(body.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 30_000,
      cacheScope: 'private',
    });
    expect(body.result.nextCursor).toBeUndefined();
    expect(body.result.tools[4]).toEqual({
      name: 'echo',
      title: 'echo',
      description: 'The tool echo.',
      inputSchema: expect.objectContaining({ type: 'object' }),
      outputSchema: { type: 'object', anyOf: [expect.anything(), { required: ['error'] }] },
      annotations: expect.anything(),
    });
  });

  test('without Tools are exactly the three system tools (P12)', async () => {
    const { post } = await startEndpoint({ capabilities: ['agents'] });

    expect(namesOf((await post('tools/list')).body)).toEqual([
      'setup',
      'bootstrap',
      'agent_context',
    ]);
  });

  test.each([1, 2, 4, 9])('in pages of %i show each tool once and in order', async (pageItems) => {
    const { post } = await startEndpoint({ pageItems });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await post('tools/list', cursor === undefined ? {} : { cursor });
      names.push(...namesOf(body));
      cursor = body.result.nextCursor;
    } while (cursor !== undefined);

    expect(names).toEqual([
      'setup',
      'bootstrap',
      'agent_context',
      'breaks',
      'echo',
      'fails',
      'hangs',
      'refuses',
      'waits',
    ]);
  });

  test('go on after a tool that is no longer shown', async () => {
    const { post, around } = await startEndpoint({ pageItems: 5 });
    const { body } = await post('tools/list');
    around.selected = around.selected.filter((name) => name !== 'echo');

    const next = await post('tools/list', { cursor: body.result.nextCursor });

    expect(namesOf(next.body)).toEqual(['fails', 'hangs', 'refuses', 'waits']);
  });

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    '%s refuses a cursor of another list (rel:B3-18), and is never short for an outage',
    async (method) => {
      const { post, around } = await startEndpoint({ pageItems: 1 });
      const { body } = await post('tools/list');
      const cursor = `${body.result.nextCursor}${method === 'tools/list' ? 'AA' : ''}`;
      const foreign = await post(method, { cursor });
      around.capabilities = 'unavailable';
      const away = await post(method);

      expect(foreign.body.error).toEqual({
        code: -32602,
        message: 'Invalid cursor',
        data: { code: 'invalid_cursor' },
      });
      expect([away.status, away.body.error]).toEqual([
        200,
        { code: -32603, message: 'Internal error' },
      ]);
    },
  );

  test.each([
    ['prompts/list', { prompts: [] }],
    ['resources/list', { resources: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
  ])('%s is empty', async (method, expected) => {
    const { post } = await startEndpoint();

    expect((await post(method)).body.result).toMatchObject(expected);
  });

  test('what is read and absent has the error of its revision', async () => {
    const { post } = await startEndpoint();
    const prompt = await post('prompts/get', { name: 'x' });
    const resource = await post('resources/read', { uri: 'toolgate://me/x' });
    const nameless = await post('prompts/get', {});

    expect(prompt.body.error).toEqual({ code: -32601, message: 'Not found' });
    expect(resource.body.error).toEqual({ code: -32602, message: 'Resource not found' });
    expect(nameless.body.error).toMatchObject({ code: -32602, data: { code: 'invalid_params' } });
  });
});

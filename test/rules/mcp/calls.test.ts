import { describe, expect, test } from 'vitest';
import { startEndpoint } from './endpoint.ts';
import type { Surroundings } from './endpoint.ts';

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
    const { call } = await startEndpoint(changes);

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
    const { call } = await startEndpoint(changes as Partial<Surroundings>);

    const { status, body } = await call('echo', {});

    expect([status, body]).toEqual([200, protocolError(-32603, 'Internal error')]);
  });
});

import { describe, expect, test } from 'vitest';
import { startEndpoint } from './endpoint.ts';
import type { EndpointInputs } from './endpoint.ts';

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
    message: expect.stringMatching(new RegExp(`^Invalid params: ${pointer} must be `)),
    data: { code: 'invalid_params', issues: [{ pointer, message: expect.any(String) }] },
  },
});
const notPermitted = toolError('tool_not_permitted', 'This credential may not call this tool.');
const limited = {
  session: null,
  admitted: false,
  window: 'hour',
  limit: 1_000,
  retry_after_seconds: 33,
} as const;

describe('a tool call', () => {
  test('returns structured content and the same as text, counts once and is recorded', async () => {
    const { call, caller, toolId, admissions, recorded, observed } = await startEndpoint();

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
    expect(admissions).toEqual([
      {
        quota_owner: expect.anything(),
        kind: 'tool_call',
        call_id: expect.any(String),
        facts: expect.anything(),
      },
    ]);
    expect(recorded).toEqual([
      {
        call_id: admissions[0]!.call_id,
        quota_owner: admissions[0]!.quota_owner,
        kind: 'tool_call',
        facts: {
          account_id: caller.person,
          key_id: caller.credential.id,
          credential_kind: 'api_key',
          item_id: toolId('echo'),
          item_name: 'echo',
          space_id: null,
          arguments: null,
        },
        admission: { session: null, admitted: true, month: '2026-01' },
        outcome: 'ok',
        layer: 'ok',
        duration_ms: expect.any(Number),
      },
    ]);
    expect(observed).toEqual([
      {
        kind: 'tool_call',
        item: expect.objectContaining({ name: 'echo', origin: 'builtin' }),
        ...{ outcome: 'ok', layer: 'ok', seconds: expect.any(Number) },
      },
    ]);
  });

  test.each([
    ['fails', toolError('invalid_expression', 'Cannot be computed.', { at: 3 }), 'tool_error'],
    ['refuses', toolError('not_found', 'Not found.'), 'tool_error'],
    ['hangs', toolError('timed_out', 'The tool timed out.'), 'timed_out'],
    ['breaks', protocolError(-32603, 'Internal error'), 'failed'],
  ])(
    'to a tool that %s returns its error, leaks nothing and counts once',
    async (name, expected, outcome) => {
      const { call, admissions, recorded } = await startEndpoint();

      const { status, body } = await call(name, {});

      expect([status, body]).toEqual([200, expected]);
      expect(admissions).toHaveLength(1);
      expect(recorded.map((row) => [row.outcome, row.layer])).toEqual([[outcome, 'tool']]);
    },
  );

  test('whose client disconnects is cancelled and counted once (rel:B3-30)', async () => {
    const { call, admissions, recorded } = await startEndpoint();
    const controller = new AbortController();
    const pending = call('waits', {}, { signal: controller.signal }).catch(() => 'left');
    await expect.poll(() => admissions.length).toBe(1);
    controller.abort();

    expect(await pending).toBe('left');
    await expect.poll(() => recorded.map((row) => row.outcome)).toEqual(['cancelled']);
  });

  test.each([
    ['a name that is missing', undefined, {}, invalidParams('/name'), 'arguments'],
    ['a name that is a number', 5, {}, invalidParams('/name'), 'arguments'],
    ['arguments that are a list', 'echo', [], invalidParams('/arguments'), 'arguments'],
    [
      'arguments that do not match the schema',
      'echo',
      { value: 5 },
      invalidParams('/value'),
      'arguments',
    ],
    ['an absent tool', 'nothing', {}, protocolError(-32601, 'Not found'), 'absent'],
    ['__proto__', '__proto__', {}, protocolError(-32601, 'Not found'), 'absent'],
    ['constructor', 'constructor', {}, protocolError(-32601, 'Not found'), 'absent'],
    ['an unselected tool', 'unselected', {}, notPermitted, 'selection'],
    ['a tool the policy excludes', 'excluded', {}, notPermitted, 'policy'],
    ['a system tool with invalid arguments', 'bootstrap', {}, expect.anything(), 'arguments'],
    [
      'an agent without the capability',
      'agent_context',
      { name: 'a', components: [] },
      expect.anything(),
      'capability',
    ],
  ])(
    'of %s is refused, is not counted, and its layer is recorded (rel:B3-10, B3-11)',
    async (_name, tool, args, expected, layer) => {
      const { call, admissions, recorded, observed } = await startEndpoint();

      const { status, body } = await call(tool, args);

      expect([status, body]).toEqual([200, expected]);
      expect(admissions).toEqual([]);
      // The name of an absent tool is not recorded: it may be anything, even a secret.
      const isThere = typeof tool === 'string' && layer !== 'absent';
      const item_name = isThere ? tool : null;
      expect(recorded).toEqual([
        expect.objectContaining({
          facts: expect.objectContaining({ item_name }),
          ...{ admission: null, outcome: 'refused', layer },
        }),
      ]);
      expect(observed).toEqual([expect.objectContaining({ outcome: 'refused', layer })]);
    },
  );

  test.each<[string, Partial<EndpointInputs>, string]>([
    ['a credential without Tools', { capabilities: [] }, 'capability'],
    ['a call over the limit', { admission: limited }, 'limit'],
    ['a call with unknown permissions', { capabilities: 'unavailable' }, 'service'],
    ['a call that cannot be recorded', { admission: 'unavailable' }, 'service'],
    [
      'a call of an ended session',
      { admission: { session: { status: 'gone' }, admitted: false, window: null } },
      'session',
    ],
  ])('is refused and recorded once with its layer: %s', async (_name, changes, layer) => {
    const { call, recorded } = await startEndpoint(changes);

    await call('echo', {});

    expect(recorded.map((row) => [row.outcome, row.layer, row.admission])).toEqual([
      ['refused', layer, null],
    ]);
  });

  test('is recorded with its arguments only if the account opted in', async () => {
    const value = { value: 'a secret' };
    const silent = await startEndpoint();
    const audited = await startEndpoint({ audit_arguments: true });

    for (const { call } of [silent, audited]) await call('echo', value);
    await audited.call('nothing', value);
    await audited.call('echo');

    expect(JSON.stringify(silent.recorded)).not.toContain('secret');
    expect(audited.recorded.map(({ facts }) => facts.arguments)).toEqual([
      JSON.stringify(value),
      null,
      null,
    ]);
  });

  test.each([
    ['capability before absence', { capabilities: [] }, 'nothing', 5, 'capability_denied'],
    ['capability before selection', { capabilities: [] }, 'unselected', 5, 'capability_denied'],
    ['absence before arguments', {}, 'nothing', 5, -32601],
    ['permission before arguments', {}, 'excluded', 5, 'tool_not_permitted'],
    ['arguments before limits', { admission: limited }, 'echo', 5, -32602],
    ['limits last', { admission: limited }, 'echo', 'x', 'rate_limited'],
  ])('with two faults is checked in order: %s', async (_order, changes, name, value, expected) => {
    const { call } = await startEndpoint(changes);

    const { body } = await call(name, { value });

    expect(body.error?.code ?? body.result.structuredContent.error.code).toBe(expected);
  });

  test('over the limit returns a tool error with the window and the wait, never HTTP 429 (rel:B3-29)', async () => {
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
    ['permissions are unknown', { capabilities: 'unavailable' }],
    ['usage cannot be recorded', { admission: 'unavailable' }],
  ])('returns a 503 that says to try again, without data, when %s', async (_name, changes) => {
    const { call } = await startEndpoint(changes as Partial<EndpointInputs>);

    const { status, body } = await call('echo', {});

    expect([status, body]).toEqual([
      503,
      protocolError(-32603, 'Temporarily unavailable. Try again shortly.'),
    ]);
  });
});

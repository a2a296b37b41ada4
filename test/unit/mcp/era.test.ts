import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { routeMessage } from '../../../src/mcp/protocol/era.ts';

const META = 'io.modelcontextprotocol/';
const envelope = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'test', version: '1' },
  [`${META}clientCapabilities`]: {},
};
const request = (params?: unknown, method = 'tools/list') => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  ...(params === undefined ? {} : { params }),
});
const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };

const routeOf = (body: unknown, headers: Record<string, string> = {}) => {
  const route = routeMessage(body, headers);
  if (route.to === 'reject') return [route.status, route.error.code];
  return route.to === 'modern' && route.message === null ? 'dropped' : route.to;
};

describe('the protocol version of a message', () => {
  test.each([
    ['a request with the envelope', request({ _meta: envelope }), modern, 'modern'],
    ['a request without the version header', request({ _meta: envelope }), {}, 'modern'],
    ['a request without envelope', request({}), {}, 'legacy'],
    ['a request with a 2025 header', request(), { 'mcp-protocol-version': '2025-11-25' }, 'legacy'],
    ['initialize', request({ protocolVersion: '2025-11-25' }, 'initialize'), {}, 'legacy'],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, {}, 'legacy'],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }, {}, 'legacy'],
    ['a batch', [request(), request()], {}, 'legacy'],
    [
      'a notification with a modern header',
      { jsonrpc: '2.0', method: 'notifications/x' },
      { 'mcp-protocol-version': '2026-07-28' },
      'dropped',
    ],
    [
      'an incomplete envelope',
      request({ _meta: { [`${META}protocolVersion`]: '2026-07-28' } }),
      modern,
      [400, -32602],
    ],
    ['a modern header without envelope', request({}), modern, [400, -32602]],
    [
      'versions that differ',
      request({ _meta: envelope }),
      { ...modern, 'mcp-protocol-version': '2025-11-25' },
      [400, -32020],
    ],
    [
      'methods that differ',
      request({ _meta: envelope }),
      { ...modern, 'mcp-method': 'x' },
      [400, -32020],
    ],
    [
      'initialize with a modern header',
      request({}, 'initialize'),
      { 'mcp-protocol-version': '2026-07-28' },
      [400, -32020],
    ],
  ])('%s', (_name, body, headers, expected) => {
    expect(routeOf(body, headers as Record<string, string>)).toEqual(expected);
  });

  test.each([
    ['a number', 5],
    ['an empty object', {}],
    ['no jsonrpc', { id: 1, method: 'ping' }],
    ['jsonrpc 1.0', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['Method', { jsonrpc: '2.0', id: 1, Method: 'ping' }],
    ['id null', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['id an object', { jsonrpc: '2.0', id: {}, method: 'ping' }],
    ['id a fraction', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    ['params a string', { jsonrpc: '2.0', id: 1, method: 'ping', params: 'x' }],
    ['params an array', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['an extra member', { jsonrpc: '2.0', id: 1, method: 'ping', extra: 1 }],
    ['an empty batch', []],
    ['51 messages', Array.from({ length: 51 }, () => request())],
    ['a batch with an envelope', [request({ _meta: envelope })]],
    ['a batch with a number', [request(), 5]],
  ])('%s is not a message (rel:B3-4, B3-5)', (_name, body) => {
    expect(routeOf(body)).toEqual([400, -32600]);
  });

  test('agrees with the SDK on random faults', () => {
    const faults = fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(...values)), {
      maxLength: 2,
    });
    fc.assert(
      fc.property(fc.boolean(), faults, (isModern, changes) => {
        const broken = completeRequest(isModern);
        for (const [place, value] of changes) change(broken, place, value);
        const { body, version, method } = broken;
        const outcome = classifyInboundRequest({
          httpMethod: 'POST',
          body,
          ...(typeof version === 'string' ? { protocolVersionHeader: version } : {}),
          ...(typeof method === 'string' ? { mcpMethodHeader: method } : {}),
        });
        const route = routeMessage(body, {
          ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
          ...(typeof method === 'string' ? { 'mcp-method': method } : {}),
        });

        expect(route.to).toBe(outcome.kind);
        if (route.to === 'reject' && outcome.kind === 'reject')
          expect([route.status, route.error.code]).toEqual([outcome.httpStatus, outcome.code]);
      }),
      { numRuns: 5_000 },
    );
  });
});

/** A complete request of either version, for a test to break in one or two places. */
const completeRequest = (isModern: boolean): Record<string, unknown> => ({
  version: isModern ? '2026-07-28' : '2025-11-25',
  method: 'tools/list',
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {
      _meta: {
        progressToken: 'token',
        ...(isModern ? structuredClone(fullEnvelope) : {}),
      },
    },
  },
});
const fullEnvelope = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'test', version: '1' },
  [`${META}clientCapabilities`]: {
    roots: { listChanged: true },
    sampling: { tools: {} },
    elicitation: { form: {} },
    extensions: { 'example/x': {} },
  },
};

const capabilities = `body params _meta ${META}clientCapabilities`;
const info = `body params _meta ${META}clientInfo`;
const places = [
  ...['version', 'method', 'body', 'body jsonrpc', 'body id', 'body method', 'body extra'],
  ...['body params', 'body params name', 'body params _meta', 'body params _meta other'],
  ...['body params _meta progressToken', `body params _meta ${META}protocolVersion`],
  ...[`body params _meta ${META}logLevel`, info, `${info} name`, `${info} icons`, `${info} title`],
  ...[capabilities, `${capabilities} roots`, `${capabilities} roots listChanged`],
  ...[`${capabilities} sampling`, `${capabilities} elicitation form`, `${capabilities} tasks`],
  ...[`${capabilities} extensions example/x`, `${capabilities} other`],
];
const values: unknown[] = [
  ...[undefined, null, 'x', '', 5, 1.5, true, {}, [], { a: 1 }, [{}]],
  ...['2026-07-28', '2025-11-25', '2027-01-01', '1.0', 'initialize', 'info', 'tools/list'],
];

/** Sets or deletes the value at a place; does nothing if its parent is not an object. */
function change(target: Record<string, unknown>, place: string, value: unknown): void {
  const path = place.split(' ');
  const last = path.pop()!;
  let parent: unknown = target;
  for (const key of path) parent = (parent as Record<string, unknown> | null | undefined)?.[key];
  if (typeof parent !== 'object' || parent === null) return;
  if (value === undefined) delete (parent as Record<string, unknown>)[last];
  else (parent as Record<string, unknown>)[last] = structuredClone(value);
}

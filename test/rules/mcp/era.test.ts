import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { routeMessage } from '../../../src/mcp/era.ts';

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

const seen = (body: unknown, headers: Record<string, string> = {}) => {
  const route = routeMessage(body, headers);
  if (route.to === 'reject') return [route.status, route.error.code];
  return route.to === 'modern' && route.message === null ? 'dropped' : route.to;
};

describe('the era of a message', () => {
  test.each([
    ['a request with the envelope', request({ _meta: envelope }), modern, 'modern'],
    ['one whose header is missing', request({ _meta: envelope }), {}, 'modern'],
    ['a request without envelope', request({}), {}, 'legacy'],
    ['one with a 2025 header', request(), { 'mcp-protocol-version': '2025-11-25' }, 'legacy'],
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
    expect(seen(body, headers as Record<string, string>)).toEqual(expected);
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
    ['an empty batch', []],
    ['51 messages', Array.from({ length: 51 }, () => request())],
    ['a batch with an envelope', [request({ _meta: envelope })]],
    ['a batch with a stranger', [request(), 5]],
  ])('%s is no message (rel:B3-4, B3-5)', (_name, body) => {
    expect(seen(body)).toEqual([400, -32600]);
  });

  test('agrees with the SDK wherever it decides by itself', () => {
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const meta = fc.record(
      {
        [`${META}protocolVersion`]: fc.constantFrom('2026-07-28', '2025-11-25', 5),
        [`${META}clientInfo`]: fc.constantFrom<unknown>(
          { name: 'a', version: '1' },
          { name: 'a' },
          'x',
        ),
        [`${META}clientCapabilities`]: fc.oneof(
          fc.constantFrom<unknown>({}, null, 'x', []),
          fc.dictionary(
            fc.constantFrom('roots', 'sampling', 'elicitation', 'extensions', 'experimental', 'x'),
            fc.oneof(
              fc.constantFrom<unknown>({}, 5, null, []),
              fc.dictionary(
                fc.constantFrom('listChanged', 'form', 'url', 'a'),
                fc.constantFrom<unknown>({}, true, 'x', { applyDefaults: true }, []),
              ),
            ),
          ),
        ),
        [`${META}logLevel`]: fc.constantFrom('info', 'loud'),
        progressToken: fc.constantFrom<unknown>('t', 1, 1.5, {}),
        other: fc.constant(1),
      },
      { requiredKeys: [] },
    );
    const params = fc.record(
      { _meta: fc.oneof(meta, fc.constantFrom<unknown>('x', null)), name: fc.string() },
      { requiredKeys: [] },
    );
    const body = fc.record(
      {
        jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', '1.0'),
        id: fc.constantFrom<unknown>(1, 'a', 1.5, null),
        method: fc.constantFrom<unknown>('tools/list', 'initialize', 5),
        params: fc.oneof(
          { weight: 5, arbitrary: params },
          { weight: 1, arbitrary: fc.constantFrom<unknown>('x', [], null) },
        ),
        extra: fc.constant(1),
      },
      { requiredKeys: [] },
    );
    const version = maybe(fc.constantFrom('2026-07-28', '2025-11-25', '2027-01-01'));
    fc.assert(
      fc.property(
        body,
        version,
        maybe(fc.constantFrom('tools/list', 'x')),
        (message, header, method) => {
          const outcome = classifyInboundRequest({
            httpMethod: 'POST',
            body: message,
            ...(header === undefined ? {} : { protocolVersionHeader: header }),
            ...(method === undefined ? {} : { mcpMethodHeader: method }),
          });
          const route = routeMessage(message, {
            ...(header === undefined ? {} : { 'mcp-protocol-version': header }),
            ...(method === undefined ? {} : { 'mcp-method': method }),
          });

          expect(route.to).toBe(outcome.kind);
          if (route.to === 'reject' && outcome.kind === 'reject')
            expect([route.status, route.error.code]).toEqual([outcome.httpStatus, outcome.code]);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

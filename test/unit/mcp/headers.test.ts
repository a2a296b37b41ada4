import { describe, expect, test } from 'vitest';
import {
  decodeHeaderValue,
  findHeaderMismatch,
  findParamMismatch,
} from '../../../src/mcp/protocol/headers.ts';

const sentinel = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('a header value', () => {
  test.each([
    ['calculator', 'calculator'],
    ['', ''],
    [sentinel('späße'), 'späße'],
    [sentinel(' padded '), ' padded '],
    [sentinel(sentinel('twice')), sentinel('twice')],
    ['=?base64?', '=?base64?'],
    ['=?base64?YQ?=', null],
    ['=?base64?YR==?=', null],
    ['=?base64?!!!!?=', null],
    [`=?base64?${Buffer.from([0xff]).toString('base64')}?=`, null],
  ])('%j decodes to %j', (sent, decoded) => {
    expect(decodeHeaderValue(sent)).toBe(decoded);
  });
});

describe('the standard headers of 2026-07-28', () => {
  const request = { version: '2026-07-28', method: 'tools/call', params: { name: 'späße' } };
  const good = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': sentinel('späße'),
  };
  const codeOf = (headers: Record<string, string | undefined>, body = request) =>
    findHeaderMismatch(headers, body)?.code ?? null;

  test('match version, method and name of the body', () => {
    expect(codeOf(good)).toBeNull();
  });

  test.each([
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no method', { 'mcp-method': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['the method in a different case', { 'mcp-method': 'Tools/Call' }],
    ['no name', { 'mcp-name': undefined }],
    ['another name', { 'mcp-name': 'calculator' }],
    ['a name that does not decode', { 'mcp-name': '=?base64?YQ?=' }],
  ])('%s is a mismatch (rel:B3-31)', (_name, change) => {
    expect(codeOf({ ...good, ...change })).toBe(-32020);
  });

  test('a method without a name needs no Mcp-Name, and a missing name is left to the params check', () => {
    const list = { version: '2026-07-28', method: 'tools/list', params: {} as never };

    expect(codeOf({ ...good, 'mcp-method': 'tools/list', 'mcp-name': 'x' }, list)).toBeNull();
    expect(codeOf(good, { ...request, params: {} as never })).toBeNull();
  });
});

describe('parameters repeated in headers', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      inner: {
        type: 'object',
        properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } },
      },
      free: { type: 'string' },
    },
  };
  const codeOf = (headers: Record<string, string>, values: unknown) =>
    findParamMismatch(headers, schema, values)?.code ?? null;

  test.each([
    [
      { 'mcp-param-region': 'eu', 'mcp-param-count': '42' },
      { region: 'eu', inner: { count: 42 } },
      null,
    ],
    [
      { 'mcp-param-region': 'eu', 'mcp-param-count': '42.0' },
      { region: 'eu', inner: { count: 42 } },
      null,
    ],
    [{ 'mcp-param-region': sentinel('ü') }, { region: 'ü' }, null],
    [{}, { free: 'x' }, null],
    [{}, { region: null }, null],
    [{}, { region: 'eu' }, -32020],
    [{ 'mcp-param-region': 'us' }, { region: 'eu' }, -32020],
    [{ 'mcp-param-region': 'us' }, {}, -32020],
    [{ 'mcp-param-region': 'us' }, { region: null }, -32020],
    [{ 'mcp-param-count': '' }, { inner: { count: 0 } }, -32020],
    [{ 'mcp-param-region': 'us' }, { region: ['us'] }, -32020],
    [{ 'mcp-param-region': 'us' }, { region: { toString: 'no function' } }, -32020],
  ])('%j with parameters %j: code %j', (headers, values, code) => {
    expect(codeOf(headers as Record<string, string>, values)).toBe(code);
  });
});

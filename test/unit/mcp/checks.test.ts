import { describe, expect, test } from 'vitest';
import {
  checkAccept,
  checkFraming,
  checkOrigin,
  createOrigins,
} from '../../../src/mcp/calls/checks.ts';
import { Refusal } from '../../../src/platform/errors/refusal.ts';

const codeOf = (run: () => void): string => {
  try {
    run();
    return 'passes';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};

describe('framing', () => {
  test.each([
    [['Host', 'a'], 'passes'],
    [['Host', 'a', 'MCP-Protocol-Version', 'x', 'Mcp-Method', 'y'], 'passes'],
    [['Host', 'a', 'X-Other', '1', 'X-Other', '2'], 'passes'],
    [[], 'invalid_host'],
    [['Host', 'a', 'host', 'a'], 'invalid_host'],
    [['Host', 'a', 'MCP-Protocol-Version', 'x', 'mcp-protocol-version', 'x'], 'repeated_header'],
    [['Host', 'a', 'Mcp-Session-Id', 'x', 'MCP-SESSION-ID', 'y'], 'repeated_header'],
    [['Host', 'a', 'Mcp-Param-Region', 'x', 'mcp-param-region', 'x'], 'repeated_header'],
  ])('%j: %s (rel:B1-20, B3-9, B3-20)', (rawHeaders, expected) => {
    expect(codeOf(() => checkFraming(rawHeaders))).toBe(expected);
  });
});

describe('origin', () => {
  const local = createOrigins('http://localhost:7070', 'http://localhost:5173');
  const remote = createOrigins('https://gate.example', 'https://app.example');
  test.each([
    [remote, { host: 'gate.example' }, 'passes'],
    [remote, { host: 'anything' }, 'passes'],
    [remote, { host: 'gate.example', origin: 'https://gate.example' }, 'passes'],
    [remote, { host: 'gate.example', origin: 'https://app.example' }, 'passes'],
    [remote, { host: 'gate.example', origin: 'https://app.example.evil' }, 'origin_not_allowed'],
    [remote, { host: 'gate.example', origin: 'http://app.example' }, 'origin_not_allowed'],
    [remote, { host: 'gate.example', origin: 'null' }, 'origin_not_allowed'],
    [remote, { host: 'gate.example', origin: '' }, 'origin_not_allowed'],
    [local, { host: 'localhost:9999' }, 'passes'],
    [local, { host: '127.0.0.1:7070' }, 'passes'],
    [local, { host: '[::1]:7070' }, 'passes'],
    [local, { host: 'localhost:7070', origin: 'http://localhost:7070' }, 'passes'],
    [local, { host: 'evil.example:7070' }, 'host_not_allowed'],
    [local, { host: 'localhost.evil.example' }, 'host_not_allowed'],
    [local, { host: 'evil.example', origin: 'http://localhost:7070' }, 'host_not_allowed'],
  ])('%#: %j %s (rel:B3-1)', (origins, headers, expected) => {
    expect(codeOf(() => checkOrigin(headers, origins))).toBe(expected);
  });
});

describe('accept', () => {
  test.each([
    ['POST', 'application/json, text/event-stream', 'passes'],
    ['POST', 'text/event-stream;q=0.5,APPLICATION/JSON', 'passes'],
    ['POST', '*/*', 'passes'],
    ['POST', 'application/*, text/*', 'passes'],
    ['POST', undefined, 'not_acceptable'],
    ['POST', 'application/json', 'not_acceptable'],
    ['POST', 'text/event-stream', 'not_acceptable'],
    ['POST', 'application/json, text/event-stream;q=0', 'not_acceptable'],
    ['GET', 'text/event-stream', 'passes'],
    ['GET', 'application/json', 'not_acceptable'],
    ['GET', undefined, 'not_acceptable'],
    ['DELETE', undefined, 'passes'],
  ])('%s with %j: %s (rel:B3-2, B3-28)', (method, accept, expected) => {
    expect(codeOf(() => checkAccept(method, accept))).toBe(expected);
  });
});

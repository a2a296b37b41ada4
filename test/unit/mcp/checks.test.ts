import { describe, expect, test } from 'vitest';
import {
  checkAccept,
  checkFraming,
  checkOrigin,
  createAllowsOrigin,
} from '../../../src/mcp/endpoint/checks.ts';
import { createRequireOwnHost } from '../../../src/platform/http/own-host.ts';
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
    [['Host', 'a', 'MCP-Protocol-Version', 'x', 'mcp-protocol-version', 'x'], 'repeated_header'],
    [['Host', 'a', 'Mcp-Session-Id', 'x', 'MCP-SESSION-ID', 'y'], 'repeated_header'],
    [['Host', 'a', 'Mcp-Param-Region', 'x', 'mcp-param-region', 'x'], 'repeated_header'],
  ])('%j: %s (rel:B3-9, B3-20)', (rawHeaders, expected) => {
    expect(codeOf(() => checkFraming(rawHeaders))).toBe(expected);
  });
});

describe('host', () => {
  const local = createRequireOwnHost('http://localhost:7070');
  const portless = createRequireOwnHost('http://localhost');
  const remote = createRequireOwnHost('https://gate.example');
  test.each([
    [remote, ['gate.example'], 'passes'],
    [remote, ['anything'], 'passes'],
    [remote, [], 'bad_request'],
    [remote, ['gate.example', 'gate.example'], 'bad_request'],
    [local, ['localhost:7070'], 'passes'],
    [local, ['LOCALHOST:7070'], 'passes'],
    [local, ['127.0.0.1:7070'], 'passes'],
    [local, ['[::1]:7070'], 'passes'],
    [local, ['localhost'], 'passes'],
    [local, ['localhost:4200'], 'passes'],
    [local, ['localhost:9999'], 'host_not_allowed'],
    [local, ['evil.example:7070'], 'host_not_allowed'],
    [local, ['localhost.evil.example'], 'host_not_allowed'],
    [local, ['localhost:7070@evil.example'], 'host_not_allowed'],
    [local, [''], 'host_not_allowed'],
    [portless, ['localhost:80'], 'passes'],
    [portless, ['localhost:81'], 'host_not_allowed'],
  ])('%#: %j %s (rel:B1-20)', (requireOwnHost, hosts, expected) => {
    const rawHeaders = hosts.flatMap((host) => ['Host', host]);
    const socket = { localPort: 4200 } as never;
    expect(codeOf(() => requireOwnHost({ rawHeaders, socket }))).toBe(expected);
  });
});

describe('origin', () => {
  const local = createAllowsOrigin('http://localhost:7070', null);
  const remote = createAllowsOrigin('https://gate.example', null);
  const narrow = createAllowsOrigin('https://gate.example', ['https://app.example']);
  const none = createAllowsOrigin('https://gate.example', []);
  const wide = createAllowsOrigin('http://localhost:7070', ['*']);
  test.each([
    ['a public deployment', remote, 'https://claude.ai', true],
    ['a public deployment', remote, 'null', true],
    ['a deployment on loopback', local, 'http://localhost:7070', true],
    ['a deployment on loopback', local, 'http://localhost:6274', true],
    ['a deployment on loopback', local, 'https://127.0.0.1', true],
    ['a deployment on loopback', local, 'http://[::1]:5173', true],
    ['a deployment on loopback', local, 'https://claude.ai', false],
    ['a deployment on loopback', local, 'http://localhost.evil.example', false],
    ['a deployment on loopback', local, 'http://localhost:7070/path', false],
    ['a deployment on loopback', local, 'http://a@localhost:7070', false],
    ['a deployment on loopback', local, 'null', false],
    ['a deployment on loopback', local, '', false],
    ['a list', narrow, 'https://app.example', true],
    ['a list', narrow, 'https://gate.example', false],
    ['a list', narrow, 'https://app.example.evil', false],
    ['a list', narrow, 'http://app.example', false],
    ['an empty list', none, 'https://gate.example', false],
    ['*', wide, 'https://claude.ai', true],
  ])('%s, %#: which pages may call (rel:B3-1)', (_of, allows, origin, isAllowed) => {
    expect(codeOf(() => checkOrigin({ origin }, allows))).toBe(
      isAllowed ? 'passes' : 'origin_not_allowed',
    );
  });
  test('a request without Origin passes (rel:B3-1)', () => {
    expect(codeOf(() => checkOrigin({}, none))).toBe('passes');
  });
});

describe('accept', () => {
  test.each([
    ['POST', 'application/json, text/event-stream', 'passes'],
    ['POST', 'text/event-stream;q=0.5,APPLICATION/JSON', 'passes'],
    ['POST', '*/*', 'passes'],
    ['POST', 'application/*, text/*', 'passes'],
    ['POST', undefined, 'passes'],
    ['POST', '', 'not_acceptable'],
    ['POST', 'application/json', 'not_acceptable'],
    ['POST', 'text/event-stream', 'not_acceptable'],
    ['POST', 'application/json, text/event-stream;q=0', 'not_acceptable'],
    ['GET', 'text/event-stream', 'passes'],
    ['GET', 'application/json', 'not_acceptable'],
    ['GET', undefined, 'passes'],
    ['DELETE', undefined, 'passes'],
  ])('%s with %j: %s (rel:B3-2, B3-28)', (method, accept, expected) => {
    expect(codeOf(() => checkAccept(method, accept))).toBe(expected);
  });
});

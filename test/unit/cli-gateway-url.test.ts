import { expect, test } from 'vitest';
import { parseGatewayUrl } from '../../src/cli/gateway-url.ts';

test.each([
  ['http://localhost:7070', 'http://localhost:7070'],
  ['http://localhost:7070/', 'http://localhost:7070'],
  ['http://localhost:7070/mcp', 'http://localhost:7070'],
  ['localhost:7070', 'http://localhost:7070'],
  ['127.0.0.1', 'http://127.0.0.1'],
  ['gate.example', 'https://gate.example'],
  ['gate.example:8443/mcp/', 'https://gate.example:8443'],
])('--url %s is the gateway at %s', (text, url) => {
  expect(parseGatewayUrl(text)).toBe(url);
});

test.each(['', 'ftp://gate.example', 'http://', 'http://gate.example/other', 'a b'])(
  '--url %j is refused with an example',
  (text) => {
    expect(() => parseGatewayUrl(text)).toThrow('such as http://localhost:7070');
  },
);

import { expect, test } from 'vitest';
import { normalizeResource } from '../../../src/oauth/server/resource.ts';

const LOCAL = 'http://localhost:7070';
const HOSTED = 'https://gateway.example';

test.each([
  [LOCAL, 'http://localhost:7070/mcp'],
  [LOCAL, 'HTTP://LOCALHOST:7070/mcp'],
  [LOCAL, 'http://LocalHost:07070/mcp'],
  [HOSTED, 'https://gateway.example:443/mcp'],
  [HOSTED, 'HTTPS://Gateway.Example/mcp'],
  [HOSTED, 'https://gateway.example:/mcp'],
])('at %s, %s names the resource', (publicUrl, text) => {
  expect(normalizeResource(text, publicUrl)).toBe(`${publicUrl}/mcp`);
});

test.each([
  [LOCAL, 'http://localhost:7070/MCP'],
  [LOCAL, 'http://localhost:7070/mcp/'],
  [LOCAL, 'http://localhost:7070/x/../mcp'],
  [LOCAL, 'http://localhost:7070/%6dcp'],
  [LOCAL, 'http://localhost:7070/mcp?x=1'],
  [LOCAL, 'http://localhost:7070/mcp#x'],
  [LOCAL, 'http://localhost:7070'],
  [LOCAL, 'http://localhost/mcp'],
  [LOCAL, 'https://localhost:7070/mcp'],
  [LOCAL, 'http://127.0.0.1:7070/mcp'],
  [LOCAL, 'http://ada@localhost:7070/mcp'],
  [LOCAL, 'http:\\\\localhost:7070/mcp'],
  [LOCAL, ' http://localhost:7070/mcp'],
  [LOCAL, 'http://local\thost:7070/mcp'],
  [HOSTED, 'https://gateway.example:8443/mcp'],
  [HOSTED, 'https://gateway.example.evil.example/mcp'],
  [HOSTED, 'http://gateway.example:443/mcp'],
  [HOSTED, 'mcp'],
  [HOSTED, ''],
])('at %s, %j stays as it is, and is refused', (publicUrl, text) => {
  expect(normalizeResource(text, publicUrl)).toBe(text);
});

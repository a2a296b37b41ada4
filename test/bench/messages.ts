import type { Load } from './load.ts';

const ACCEPT = 'application/json, text/event-stream';
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

const message = (method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const call = { name: 'noop', arguments: {} };

/** The request of 2026-07-28, with everything its headers must say. */
export function modern(port: number, method: 'tools/call' | 'tools/list', key = ''): Load {
  const envelope = {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const isCall = method === 'tools/call';
  return {
    port,
    path: '/mcp',
    headers: {
      Accept: ACCEPT,
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': method,
      ...(isCall ? { 'Mcp-Name': 'noop' } : {}),
      ...(key ? { 'X-API-Key': key } : {}),
    },
    body: message(method, { ...(isCall ? call : {}), ...envelope }),
  };
}

/** The request of 2025-11-25; `session` of servers that keep one. */
export function legacy(
  port: number,
  method: 'tools/call' | 'tools/list',
  { key = '', session = '' } = {},
): Load {
  return {
    port,
    path: '/mcp',
    headers: {
      Accept: ACCEPT,
      'MCP-Protocol-Version': LEGACY,
      ...(key ? { 'X-API-Key': key } : {}),
      ...(session ? { 'Mcp-Session-Id': session } : {}),
    },
    body: message(method, method === 'tools/call' ? call : {}),
  };
}

/** Opens a session and answers its id. */
export async function initialize(port: number, key: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { accept: ACCEPT, 'content-type': 'application/json', 'x-api-key': key },
    body: message('initialize', {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    }),
  });
  const session = response.headers.get('mcp-session-id');
  if (!session) throw new Error(`initialize answered ${response.status} without a session`);
  return session;
}

import { setTimeout } from 'node:timers/promises';
import { credentialHeader } from '../support/clients/credential-header.ts';
import type { Request } from './load.ts';

const ACCEPT = 'application/json, text/event-stream';
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

const message = (method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

export type Method = 'tools/list' | 'tools/call' | 'prompts/get' | 'resources/read';

interface Params {
  name?: string;
  uri?: string;
  arguments?: object;
}

/** Parameters that match the items of the bench's tenant. */
const paramsOf: Readonly<Record<Method, Params>> = {
  'tools/list': {},
  'tools/call': { name: 'noop', arguments: {} },
  'resources/read': { uri: 'toolgate://me/notes/one' },
  'prompts/get': { name: 'greeting', arguments: { who: 'you' } },
};

const envelope = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

const modernHeaders = (method: string, key: string, subject?: string) => ({
  Accept: ACCEPT,
  'MCP-Protocol-Version': MODERN,
  'Mcp-Method': method,
  ...(subject === undefined ? {} : { 'Mcp-Name': subject }),
  ...(key ? credentialHeader(key) : {}),
});

/** Creates a request of 2026-07-28 with all required headers. */
export function modern(method: Method, key = '', params = paramsOf[method]): Request {
  return {
    path: '/mcp',
    headers: modernHeaders(method, key, params.name ?? params.uri),
    body: message(method, { ...params, ...envelope }),
  };
}

/** Creates a request of 2025-11-25; `session` is for servers that have sessions. */
export function legacy(
  method: Method,
  { key = '', session = '' } = {},
  params = paramsOf[method],
): Request {
  return {
    path: '/mcp',
    headers: {
      Accept: ACCEPT,
      'MCP-Protocol-Version': LEGACY,
      ...(key ? { 'X-API-Key': key } : {}),
      ...(session ? { 'Mcp-Session-Id': session } : {}),
    },
    body: message(method, params),
  };
}

/** A request whose response stays open. */
export interface Opening {
  port: number;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** Creates `subscriptions/listen` of 2026-07-28 for the list of tools. */
export function listen(port: number, key: string): Opening {
  const method = 'subscriptions/listen';
  return {
    port,
    method: 'POST',
    headers: { ...modernHeaders(method, key), 'Content-Type': 'application/json' },
    body: message(method, { notifications: { toolsListChanged: true }, ...envelope }),
  };
}

/** Creates the request for the stream of a 2025-11-25 session. */
export const streamOf = (port: number, key: string, session: string): Opening => ({
  port,
  method: 'GET',
  headers: {
    Accept: 'text/event-stream',
    'MCP-Protocol-Version': LEGACY,
    'Mcp-Session-Id': session,
    'X-API-Key': key,
  },
});

const MAX_ATTEMPTS = 20;

/**
 * Opens a session and returns its id. Retries on 503: a cold decision may time out on a busy
 * machine.
 */
export async function initialize(port: number, key: string, attempt = 1): Promise<string> {
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
  if (session) return session;
  if (response.status !== 503 || attempt === MAX_ATTEMPTS)
    throw new Error(`initialize returned ${response.status} without a session`);
  await setTimeout(500);
  return initialize(port, key, attempt + 1);
}

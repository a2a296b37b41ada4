import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { credentialHeader } from '../../../support/clients/credential-header.ts';
import { requireDeclaredErrors } from '../../../support/clients/declared-errors.ts';

export interface LegacyRequest {
  method?: 'POST' | 'GET' | 'DELETE';
  session?: string | undefined;
  version?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends one HTTP request as a 2025-era client would; throws for an undeclared error. */
export async function send(
  endpoint: string,
  secret: string,
  what: LegacyRequest,
): Promise<Response> {
  const { method = 'POST', session, version, body, headers } = what;
  const response = await fetch(endpoint, {
    method,
    headers: {
      ...credentialHeader(secret),
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.headers.get('content-type')?.startsWith('application/json') === true)
    requireDeclaredErrors(response.status, await response.clone().text());
  return response;
}

export const initializeBody = (protocolVersion = '2025-11-25', more: object = {}) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
    ...more,
  },
});

/** Opens a session and returns its id. */
export async function openSession(endpoint: string, secret: string, version?: string) {
  const response = await send(endpoint, secret, { body: initializeBody(version) });
  const session = response.headers.get('mcp-session-id');
  if (session === null) throw new Error(`no session: ${response.status}`);
  await response.body?.cancel();
  return session;
}

export const request = (method: string, params: object = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** Connects version 1 of the official client, which most 2025-era agents still use. */
export async function connectV1Client(
  endpoint: string,
  secret: string,
  prepare: (client: Client) => void = () => {},
) {
  const client = new Client({ name: 'test', version: '1' });
  prepare(client);
  const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
    requestInit: { headers: { 'X-API-Key': secret } },
  });
  await client.connect(transport);
  return { client, transport };
}

/** Connects version 2 of the official client in its legacy mode. */
export async function connectV2Client(endpoint: string, secret: string) {
  const client = new ClientV2(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'legacy' } },
  );
  await client.connect(
    new TransportV2(new URL(endpoint), { requestInit: { headers: { 'X-API-Key': secret } } }),
  );
  return client;
}

export interface ReadEvent {
  id?: string;
  data: string;
  retry?: string;
}

/** Reads an event stream one event at a time; `next` returns null at the end. */
export function eventReader(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next(): Promise<ReadEvent | null> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const block = text.slice(0, end);
          text = text.slice(end + 2);
          if (!block.startsWith(':')) return readBlock(block);
          continue;
        }
        const { value, done } = await reader.read();
        if (done) return null;
        text += value;
      }
    },
    close: () => reader.cancel(),
  };
}

function readBlock(block: string): ReadEvent {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    }),
  );
  const id = fields.get('id');
  const retry = fields.get('retry');
  return {
    data: fields.get('data') ?? '',
    ...(id === undefined ? {} : { id }),
    ...(retry === undefined ? {} : { retry }),
  };
}

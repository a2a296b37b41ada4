import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { tools } from '../../../src/catalog/tools.ts';
import { requireDeclaredErrors } from '../../support/clients/declared-errors.ts';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

/** Signs up a person who can select tools and create keys; `endpoint` is their MCP URL. */
export async function createKeyHolder(world: World, gateway: Gateway) {
  const holder = await signUp(world, gateway);
  return {
    ...holder,
    endpoint: `${gateway.url}/mcp`,
    select: (names: readonly string[]) => selectTools(holder, names),
    createKey: (fields: Record<string, unknown> = {}) => createKey(holder, fields),
    async revoke(id: string): Promise<void> {
      const { status } = await holder.person.ask({
        method: 'DELETE',
        path: `/api/keys/${id}`,
        headers: holder.bearer,
      });
      expect(status).toBe(204);
    },
  };
}

export const toolId = (name: string): string => tools.find((tool) => tool.name === name)!.id;

/** Connects the official client, pinned to one protocol version. */
export async function connectClient(endpoint: string, secret: string, pin = '2026-07-28') {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoint), {
      requestInit: { headers: { 'X-API-Key': secret } },
    }),
  );
  return client;
}

/** Calls the calculator with a key, as an agent would, and returns its structured result. */
export async function calculate(url: string, key: string): Promise<unknown> {
  const client = await connectClient(`${url}/mcp`, key);
  try {
    const { structuredContent } = await client.callTool({
      name: 'calculator',
      arguments: { expression: '6*7' },
    });
    return structuredContent;
  } finally {
    await client.close();
  }
}

/** The response fields that these tests inspect; each test checks which are present. */
export interface AnswerBody {
  result: {
    tools: { name: string }[];
    isError?: boolean;
    structuredContent: { error?: { code: string; details?: unknown }; [field: string]: unknown };
  };
  error?: { code: number; message: string; data?: { code?: string } };
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends one well-formed request of MCP 2026-07-28 over plain HTTP. */
export async function ask(
  endpoint: string,
  headers: Record<string, string>,
  method: string,
  params: { name?: string; [field: string]: unknown } = {},
) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
  });
  const { status } = response;
  const text = await response.text();
  requireDeclaredErrors(status, text);
  return { status, headers: response.headers, body: JSON.parse(text) as AnswerBody };
}

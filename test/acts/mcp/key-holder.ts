import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { tools } from '../../../src/catalog/tools.ts';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

/** A person with a selection and keys, and where their agents speak to. */
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

/** The official client, held to one revision. */
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

/** The members of an answer these tests look at; which of the two is there is what they test. */
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

/** One well-formed request of 2026-07-28, as bytes any HTTP client might send. */
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
  const body = (await response.json()) as AnswerBody;
  return { status: response.status, headers: response.headers, body };
}

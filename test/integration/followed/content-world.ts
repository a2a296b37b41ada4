import { onTestFinished } from 'vitest';
import { json, result, startHostile } from '../../support/upstreams/hostile.ts';
import type { JsonRpcRequest } from '../../support/upstreams/hostile.ts';
import type { Author } from '../content/author.ts';
import { ask } from '../mcp/key-holder.ts';
import { addServer } from './followed-world.ts';

interface Added {
  source: string;
  name: string;
  id: string | null;
  pin: string;
}

/** What an import or an approval says of prompts or resources. */
export interface ContentBody {
  created: Added[];
  updated: Added[];
  skipped: { source: string; code: string; message: string }[];
}

export interface ContentChange {
  change: string;
  source: string;
  name: string;
  item_id: string | null;
  approved: { description: string | null } | null;
  found: { description: string | null; pin: string } | null;
}

/** Returns the two members of a response that are about prompts and resources. */
export const contentOf = (body: unknown) =>
  body as { prompts: ContentBody; resources: ContentBody };
export const changesOf = (body: unknown) =>
  body as { prompts: ContentChange[]; resources: ContentChange[] };

/** All of a server's prompts and resources, and none of its tools. */
export const ALL_CONTENT = { tools: { names: [] }, prompts: {}, resources: {} };

export const contentKey = async (author: Author, fields: object = {}) =>
  (await author.createKey({ mcp_capabilities: ['prompts', 'resources'], ...fields })).secret;

/** An MCP result or error, of which each test checks what it needs. */
export interface Reply {
  result?: {
    prompts: { name: string }[];
    resources: { uri: string }[];
    messages: unknown[];
    contents: unknown[];
  };
  error?: { code: number; message: string; data?: { code?: string } };
}

/** Sends requests about prompts and resources with a key. */
export function reader({ endpoint }: Author, secret: string) {
  const send = async (method: string, params: { uri?: string; name?: string } = {}) => {
    const headers = {
      'x-api-key': secret,
      ...(params.uri === undefined ? {} : { 'mcp-name': params.uri }),
    };
    return (await ask(endpoint, headers, method, { ...params })).body as unknown as Reply;
  };
  return {
    send,
    get: (name: string, values: object = {}) =>
      send('prompts/get', { name, ...{ arguments: values } }),
    read: (uri: string) => send('resources/read', { uri }),
    promptNames: async () => (await send('prompts/list')).result!.prompts.map(({ name }) => name),
    uris: async () => (await send('resources/list')).result!.resources.map(({ uri }) => uri),
  };
}

interface Offered {
  prompts: object[];
  resources: object[];
}

type Answer = Parameters<typeof startHostile>[0][string];

export const prompt = (name: string, fields: object = {}) => ({
  name,
  description: 'A prompt.',
  arguments: [{ name: 'topic', required: true }],
  ...fields,
});
export const resource = (uri: string, fields: object = {}) => ({
  uri,
  name: 'One',
  description: 'A resource.',
  mimeType: 'text/plain',
  ...fields,
});

/** Starts a server that lists these prompts and resources, which may be any JSON. */
export const startOffering = (offered: Offered, more: Readonly<Record<string, Answer>> = {}) =>
  startHostile({
    initialize: (call, response) =>
      json(
        response,
        result(call, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, prompts: {}, resources: {} },
          serverInfo: { name: 'offering', version: '1' },
        }),
      ),
    'prompts/list': (call, response) => json(response, result(call, { prompts: offered.prompts })),
    'resources/list': (call, response) =>
      json(response, result(call, { resources: offered.resources })),
    'prompts/get': (call, response) =>
      json(response, result(call, { messages: [userText(`About ${topicOf(call)}`)] })),
    'resources/read': (call, response) =>
      json(
        response,
        result(call, {
          contents: [{ uri: call.params['uri'], mimeType: 'text/plain', text: 'in' }],
        }),
      ),
    ...more,
  });

export const userText = (text: string) => ({ role: 'user', content: { type: 'text', text } });

const topicOf = ({ params }: JsonRpcRequest) =>
  String((params['arguments'] as { topic?: unknown }).topic);

/** Starts such a server and adds it for an account, with a secret header. */
export async function ownOffering(
  owner: Author,
  offered: Offered,
  more: Readonly<Record<string, Answer>> = {},
) {
  const server = await startOffering(offered, more);
  onTestFinished(server.close);
  return { server, upstream: await addServer(owner, server.url) };
}

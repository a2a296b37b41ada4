import { startUpstreamServer } from '../../support/peers/upstream-server.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { createAuthor } from '../content/author.ts';
import type { Author } from '../content/author.ts';
import { ask } from '../mcp/key-holder.ts';

export const path = '/api/me/custom-tools';
export const KEY = 'canary-7f1e2d';

/**
 * Creates a gateway, an HTTP server that custom tools may call, and two accounts that write tools.
 */
export async function createToolWorld() {
  const upstream = await startUpstreamServer({
    '/fails': (_request, response) => void response.writeHead(503).end('out of order'),
  });
  const world = await createWorld({ OUTBOUND_ALLOW: upstream.host });
  const gateway = await world.gateway();
  const newAuthor = () => createAuthor(world, gateway);
  const ada = await newAuthor();
  const bob = await newAuthor();
  const http = (fields: object = {}) => ({
    method: 'POST',
    url: `${upstream.origin}/v1/{{city}}`,
    headers: { authorization: 'Bearer {{secret.KEY}}' },
    body: { days: '{{days}}' },
    ...fields,
  });
  return {
    world,
    upstream,
    ada,
    bob,
    newAuthor,
    http,
    draft: (fields: Record<string, unknown> = {}) => ({
      name: `weather_${crypto.randomUUID().slice(0, 8)}`,
      description: 'The weather of a city.',
      kind: 'http',
      input_schema: {
        type: 'object',
        properties: {
          city: { type: 'string', 'x-mcp-header': 'City' },
          days: { type: 'integer' },
        },
        required: ['city'],
        additionalProperties: false,
      },
      http: http(),
      secrets: { KEY },
      ...fields,
    }),
    async close() {
      await world.close();
      upstream.close();
    },
  };
}

export const keyOf = async (author: Author, fields: object = {}) =>
  (await author.createKey({ mcp_capabilities: ['tools'], ...fields })).secret;

export async function listed(author: Author, secret: string) {
  const { body } = await ask(author.endpoint, { 'x-api-key': secret }, 'tools/list');
  return body.result.tools.map(({ name }) => name);
}

interface City {
  city?: string | number;
  [more: string]: unknown;
}

/** Calls a tool; sends the header that must repeat its marked argument. */
export async function call(author: Author, secret: string, name: string, values: City) {
  const marked = values.city === undefined ? {} : { 'mcp-param-city': String(values.city) };
  const headers = { 'x-api-key': secret, ...marked };
  const params = { name, arguments: values };
  return (await ask(author.endpoint, headers, 'tools/call', params)).body;
}

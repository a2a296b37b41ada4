import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { clients } from '../../snippets/clients.ts';
import { installInstruction } from '../../snippets/snippets.ts';
import { ClientSnippets } from './schema.ts';

/** The route of what connects known MCP clients with a key; `endpoint` is the URL of `/mcp`. */
export const snippetRoutes = (endpoint: string): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/client-snippets',
    access: 'public',
    operation_id: 'listClientSnippets',
    summary: 'List client snippets',
    description: 'Lists known MCP clients, and how to connect each with an API key.',
    tag: 'API keys',
    responses: { 200: ClientSnippets },
    handle: () =>
      ok({
        data: clients.map((client) => ({
          ...{ id: client.id, title: client.title, note: client.note },
          configuration: client.configuration?.(endpoint) ?? null,
          install_link: client.installLink?.(endpoint) ?? null,
          instruction: installInstruction(client, endpoint),
        })),
        next_cursor: null,
      }),
  }),
];

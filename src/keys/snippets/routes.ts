import { wholeList } from '../../platform/http/pages.ts';
import { z } from 'zod';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { clients } from '../../snippets/clients.ts';
import { installInstruction } from '../../snippets/snippets.ts';

const ClientSnippets = wholeList(
  z
    .object({
      id: z.string(),
      title: z.string(),
      configuration: z
        .object({
          place: z.string().describe('Where the text goes.'),
          language: z.enum(['json', 'toml', 'shell', 'text']),
          text: z
            .string()
            .describe('Contains no secret: a variable, or a placeholder for the key.'),
        })
        .nullable()
        .describe('What connects the client with an API key; null if it accepts none.'),
      install_link: z
        .string()
        .nullable()
        .describe('A link that opens the client and adds the server.'),
      instruction: z.string().describe('For an agent: how it starts each task with `bootstrap`.'),
      note: z.string().nullable().describe('What else to know.'),
    })
    .meta({ id: 'ClientSnippet' }),
).meta({ id: 'ClientSnippets' });

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

import { z } from 'zod';
import { wholeList } from '../../platform/http/pages.ts';

/** Known MCP clients, and how each is connected. */
export const ClientSnippets = wholeList(
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
export type ClientSnippets = z.infer<typeof ClientSnippets>;

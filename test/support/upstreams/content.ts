import { z } from 'zod';

/** A prompt that a server of either SDK offers. */
export interface OfferedPrompt {
  title: string;
  description: string;
  argsSchema: Record<string, z.ZodString | z.ZodOptional<z.ZodString>>;
  fill(values: Readonly<Record<string, string | undefined>>): string;
}

/** A resource that a server of either SDK offers, by its URI. */
export interface OfferedResource {
  title: string;
  description: string;
  mimeType: string;
  read(): { text: string } | { blob: string };
}

/** Prompts and resources of a server, which a test may change. */
export interface OfferedContent {
  prompts: Record<string, OfferedPrompt>;
  resources: Record<string, OfferedResource>;
}

/** Creates the prompt and the resources that tests import. */
export const offeredContent = (): OfferedContent => ({
  prompts: {
    summarize: {
      title: 'Summarize',
      description: 'Summarizes a topic.',
      argsSchema: { topic: z.string(), tone: z.string().optional() },
      fill: ({ topic, tone = 'plainly' }) => `Summarize ${topic}, ${tone}.`,
    },
  },
  resources: {
    'docs://guide/intro.md': {
      title: 'Introduction',
      description: 'How to begin.',
      mimeType: 'text/markdown',
      read: () => ({ text: '# Begin' }),
    },
    'docs://logo': {
      title: 'Logo',
      description: 'A picture.',
      mimeType: 'image/png',
      read: () => ({ blob: 'iVBORw0KGgo=' }),
    },
  },
});

/** The two methods by which the server of either SDK offers content. */
export interface ContentServer {
  registerPrompt(
    name: string,
    config: { title: string; description: string; argsSchema: never },
    fill: (values: Record<string, string | undefined>) => {
      messages: { role: 'user'; content: { type: 'text'; text: string } }[];
    },
  ): unknown;
  registerResource(
    name: string,
    uri: string,
    config: { title: string; description: string; mimeType: string },
    read: (uri: URL) => { contents: { uri: string; mimeType: string; text: string }[] },
  ): unknown;
}

/** Registers the content with a server; the schema of a prompt's arguments has the form it needs. */
export function register(
  server: object,
  { prompts, resources }: OfferedContent,
  schemaOf: (shape: OfferedPrompt['argsSchema']) => unknown,
): void {
  const target = server as ContentServer;
  for (const [name, { title, description, argsSchema, fill }] of Object.entries(prompts))
    target.registerPrompt(
      name,
      { title, description, argsSchema: schemaOf(argsSchema) as never },
      (values) => ({ messages: [{ role: 'user', content: { type: 'text', text: fill(values) } }] }),
    );
  for (const [uri, { title, description, mimeType, read }] of Object.entries(resources))
    target.registerResource(title, uri, { title, description, mimeType }, () => ({
      contents: [{ uri, mimeType, ...(read() as { text: string }) }],
    }));
}

import type { Client, Prompt, RequestOptions, Resource } from '@modelcontextprotocol/client';
import type { ContentFamily, UpstreamContent, UpstreamPrompt } from './schema.ts';
import type { UpstreamResource } from './schema.ts';
import { listPages, storable } from '../list-pages.ts';
import { contentPinOf } from '../pin.ts';

/** Lists what an upstream offers of a family: nothing if it does not declare the family. */
export async function listContent<F extends ContentFamily>(
  client: Client,
  family: F,
  options: RequestOptions,
  fairnessKey: string,
): Promise<UpstreamContent[F][]> {
  const { prompts, resources } = client.getServerCapabilities() ?? {};
  const isDeclared = (family === 'prompt' ? prompts : resources) !== undefined;
  if (!isDeclared) return [];
  const list = family === 'prompt' ? listPrompts : listResources;
  return list(client, options, fairnessKey) as Promise<UpstreamContent[F][]>;
}

const listPrompts = (client: Client, options: RequestOptions, fairnessKey: string) =>
  listPages<Prompt, UpstreamPrompt>(
    {
      async readPage(params) {
        const page = await client.request({ method: 'prompts/list', params }, options);
        return { entries: page.prompts, nextCursor: page.nextCursor };
      },
      keyOf: ({ name }) => name,
      words: { key: 'name', many: 'prompts' },
      convert: promptOf,
    },
    fairnessKey,
  );

const listResources = (client: Client, options: RequestOptions, fairnessKey: string) =>
  listPages<Resource, UpstreamResource>(
    {
      async readPage(params) {
        const page = await client.request({ method: 'resources/list', params }, options);
        return { entries: page.resources, nextCursor: page.nextCursor };
      },
      keyOf: ({ uri }) => uri,
      words: { key: 'URI', many: 'resources' },
      convert: resourceOf,
    },
    fairnessKey,
  );

function promptOf({ name, title, description, arguments: declared = [] }: Prompt): UpstreamPrompt {
  const stored = storable({
    name,
    title: title ?? null,
    description: description ?? null,
    arguments: declared.map((argument) => ({
      name: argument.name,
      description: argument.description ?? null,
      required: argument.required ?? false,
    })),
  });
  return { ...stored, pin: contentPinOf(stored) };
}

function resourceOf({ uri, name, title, description, mimeType }: Resource): UpstreamResource {
  const stored = storable({
    uri,
    title: title ?? name,
    description: description ?? null,
    mime_type: mimeType ?? null,
  });
  return { ...stored, pin: contentPinOf(stored) };
}

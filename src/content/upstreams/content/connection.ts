import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { Redaction } from '../../tools/redaction.ts';
import type { CallOptions } from '../address.ts';
import { requireMessages, requireResourceContents } from './result.ts';
import type { PromptMessages, ResourceContents } from './result.ts';
import type { ContentFamily, UpstreamContent } from './schema.ts';
import type { createDirectCalls, DirectRequest } from '../direct-call.ts';
import { listContent } from './list.ts';
import { requireSize } from '../result.ts';

/** The prompts and resources of a connection, which are listed when they are first needed. */
export interface ContentConnection {
  list<F extends ContentFamily>(family: F): Promise<readonly UpstreamContent[F][]>;
  getPrompt(
    name: string,
    values: Readonly<Record<string, string>>,
    options: CallOptions,
  ): Promise<PromptMessages>;
  readResource(uri: string, options: CallOptions): Promise<ResourceContents>;
}

interface ContentConnectionDependencies {
  client: Client;
  redaction: Redaction;
  fairnessKey: string;
  direct: ReturnType<typeof createDirectCalls>['call'];
  /** Runs work that lists something, within the limits of an opening connection. */
  list<T>(work: (options: RequestOptions) => Promise<T>): Promise<T>;
  failureOf(error: unknown, signal?: AbortSignal): Promise<Error>;
}

/** Creates the part of a connection that lists and reads prompts and resources. */
export function createContentConnection(
  dependencies: ContentConnectionDependencies,
): ContentConnection {
  const { client, redaction, fairnessKey, direct, failureOf } = dependencies;
  const is2026 = client.getProtocolEra() === 'modern';
  const lists = new Map<ContentFamily, Promise<readonly UpstreamContent[ContentFamily][]>>();
  let last: Promise<unknown> = Promise.resolve();

  /** Lists one family at a time, since they share the limits. */
  async function listNext<F extends ContentFamily>(family: F, before: Promise<unknown>) {
    await before.catch(() => {});
    try {
      return await dependencies.list((options) =>
        listContent(client, family, options, fairnessKey),
      );
    } catch (error) {
      throw await failureOf(error);
    }
  }

  async function send<T extends object>(
    request: DirectRequest,
    read: (result: unknown, is2026: boolean) => Promise<T>,
    options: CallOptions,
  ): Promise<T> {
    try {
      const { result, maxBytes } = await direct(request, { ...options, onProgress: undefined });
      const content = await read(result, is2026);
      requireSize(content, maxBytes);
      return (await redaction.json(content)) as T;
    } catch (error) {
      throw await failureOf(error, options.signal);
    }
  }

  return {
    list<F extends ContentFamily>(family: F) {
      let listed = lists.get(family);
      if (listed === undefined) {
        listed = listNext(family, last);
        lists.set(family, (last = listed));
      }
      return listed as Promise<readonly UpstreamContent[F][]>;
    },
    getPrompt: (name, values, options) =>
      send(
        { method: 'prompts/get', name, params: { name, arguments: values } },
        requireMessages,
        options,
      ),
    readResource: (uri, options) =>
      send(
        { method: 'resources/read', name: uri, params: { uri } },
        requireResourceContents,
        options,
      ),
  };
}

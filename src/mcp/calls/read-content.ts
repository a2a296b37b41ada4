import type { Prompts, Resources } from '../../content/content.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { PromptItem, ResourceItem, View, Visibility } from '../../visibility/visibility.ts';
import type { CallLog, TrackedCall } from './call-log.ts';
import type { Call, Reply } from '../protocol/call.ts';
import { invalidParams } from '../protocol/errors.ts';
import { checkPromptArguments } from './prompt-arguments.ts';
import { createReadUpstream, isOfUpstream } from './read-upstream.ts';
import type { ReadUpstreamDependencies } from './read-upstream.ts';
import { findResource } from '../changes/resource-versions.ts';

export interface ReadContentDependencies {
  visibility: Pick<Visibility, 'find' | 'decide'>;
  calls: CallLog;
  fillPrompt: Prompts['fill'];
  readResource: Resources['contentAt'];
  upstreams: ReadUpstreamDependencies['upstreams'];
  retry: ReadUpstreamDependencies['retry'];
}

/**
 * Creates `prompts/get` and `resources/read`. An item the caller cannot reach is reported as
 * missing. A denied read is free; an admitted one counts in its own window and in no quota.
 */
export function createReadContent(dependencies: ReadContentDependencies) {
  const { visibility, calls } = dependencies;
  const ofUpstream = createReadUpstream(dependencies);
  const readMessages = createReadMessages(dependencies);
  const { findPrompt, findOneResource } = createFinders(visibility);

  /** Creates a method that reads the item named by a param, and records the call. */
  const createReader =
    (field: string, read: (call: Call, tracked: TrackedCall, name: string) => Promise<Reply>) =>
    async (call: Call): Promise<Reply> => {
      const name = textOf(call, field);
      const tracked = calls.begin(call, 'content_read');
      try {
        const reply = await read(call, tracked, name);
        tracked.end('ok');
        return reply;
      } catch (error) {
        tracked.refuse(error);
        throw error;
      }
    };

  return {
    getPrompt: createReader('name', async (sent, tracked, name) => {
      const { call, decided } = await tracked.admit(async (current) => {
        const prompt = findPrompt(await current.view(), tracked, name);
        return { prompt, values: checkPromptArguments(prompt.arguments, current.params) };
      });
      const { prompt, values } = decided;
      const decide = (view: View) => findPrompt(view, tracked, name);
      const { messages } = isOfUpstream(prompt)
        ? await ofUpstream.prompt(prompt, values, { call, tracked, decide })
        : await readMessages(prompt, values, sent.caller.quota_owner.id);
      const { description } = prompt;
      return { result: { ...(description === null ? {} : { description }), messages } };
    }),
    readResource: createReader('uri', async (_sent, tracked, uri) => {
      const { call, decided: resource } = await tracked.admit(async (current) =>
        findOneResource(await current.view(), tracked, uri),
      );
      if (isOfUpstream(resource)) {
        const decide = (view: View) => findOneResource(view, tracked, uri);
        const { contents } = await ofUpstream.resource(resource, { call, tracked, decide });
        // The URIs of the upstream mean nothing here.
        return { result: { contents: contents.map((part) => ({ uri, ...part })) } };
      }
      const content = await dependencies.readResource(resource);
      if (content === null) throw absent('deleted during the read');
      const { text, blob, mime_type } = content;
      const body = text === null ? { blob } : { text };
      return { result: { contents: [{ uri, mimeType: mime_type, ...body }] } };
    }),
  };
}

/** Creates the functions that return what the caller may read; they throw if it is not reachable. */
function createFinders(visibility: ReadContentDependencies['visibility']) {
  function requireReachable<One extends PromptItem | ResourceItem>(
    view: View,
    tracked: TrackedCall,
    { family, item }: { family: 'prompt' | 'resource'; item: One | null },
  ): One {
    if (item === null) {
      tracked.setDecision({ family, item }, { layer: 'absent', reason: 'not_found' });
      throw absent('no such item');
    }
    tracked.setItem(item);
    const decision = visibility.decide(view, item);
    tracked.setDecision({ family, item }, decision.outcome === 'denied' ? decision : null);
    if (decision.outcome === 'allowed') return item;
    tracked.setDenyingLayer(decision.layer);
    throw absent(decision.reason);
  }

  return {
    findPrompt: (view: View, tracked: TrackedCall, name: string) =>
      requireReachable(view, tracked, {
        family: 'prompt',
        item: visibility.find(view, 'prompt', name),
      }),
    findOneResource: (view: View, tracked: TrackedCall, uri: string) =>
      requireReachable(view, tracked, {
        family: 'resource',
        item: findResource(visibility, view, uri),
      }),
  };
}

/** Creates the function that fills in the messages of prompts that are stored here or built in. */
const createReadMessages =
  ({ fillPrompt }: Pick<ReadContentDependencies, 'fillPrompt'>) =>
  async (prompt: PromptItem, values: Readonly<Record<string, string>>, fairnessKey: string) => {
    const messages = await fillPrompt(prompt, values, fairnessKey);
    if (messages === null) throw absent('deleted during the read');
    if (messages === 'too_large')
      throw invalidParams([{ pointer: '/arguments', message: 'makes the prompt too long' }]);
    return {
      messages: messages.map(({ role, content }) => ({
        role,
        content: { type: 'text', text: content },
      })),
    };
  };

function textOf(call: Call, field: string): string {
  const value = (call.params as Readonly<Record<string, unknown>> | undefined)?.[field];
  if (typeof value === 'string') return value;
  throw invalidParams([{ pointer: `/${field}`, message: 'must be a string' }]);
}

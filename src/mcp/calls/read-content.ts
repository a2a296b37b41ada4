import type { Prompts, Resources } from '../../content/content.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { PromptItem, ResourceItem, View, Visibility } from '../../visibility/visibility.ts';
import type { CallLog, TrackedCall } from './call-log.ts';
import type { Call, Reply } from '../protocol/call.ts';
import { invalidParams } from '../protocol/errors.ts';
import { checkPromptArguments } from './prompt-arguments.ts';
import { findResource } from '../changes/resource-versions.ts';

export interface ReadContentDependencies {
  visibility: Pick<Visibility, 'find' | 'decide'>;
  calls: CallLog;
  fillPrompt: Prompts['fill'];
  readResource: Resources['contentAt'];
}

/**
 * Creates `prompts/get` and `resources/read`. An item the caller cannot reach is reported as
 * missing. A denied read is free; an admitted one counts in its own window and in no quota.
 */
export function createReadContent(dependencies: ReadContentDependencies) {
  const { visibility, calls, fillPrompt, readResource } = dependencies;

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
    getPrompt: createReader('name', async (call, tracked, name) => {
      const { decided } = await tracked.admit(async (current) => {
        const view = await current.view();
        const item = visibility.find(view, 'prompt', name);
        const found = requireReachable(view, tracked, { family: 'prompt', item });
        return { prompt: found, values: checkPromptArguments(found.arguments, call.params) };
      });
      const { prompt, values } = decided;
      const messages = await fillPrompt(prompt, values, call.caller.quota_owner.id);
      if (messages === null) throw absent('deleted during the read');
      if (messages === 'too_large')
        throw invalidParams([{ pointer: '/arguments', message: 'makes the prompt too long' }]);
      return {
        result: {
          ...(prompt.description === null ? {} : { description: prompt.description }),
          messages: messages.map(({ role, content }) => ({
            role,
            content: { type: 'text', text: content },
          })),
        },
      };
    }),
    readResource: createReader('uri', async (_call, tracked, uri) => {
      const { decided: resource } = await tracked.admit(async (current) => {
        const view = await current.view();
        const item = findResource(visibility, view, uri);
        return requireReachable(view, tracked, { family: 'resource', item });
      });
      const content = await readResource(resource);
      if (content === null) throw absent('deleted during the read');
      const { text, blob, mime_type } = content;
      const body = text === null ? { blob } : { text };
      return { result: { contents: [{ uri, mimeType: mime_type, ...body }] } };
    }),
  };
}

function textOf(call: Call, field: string): string {
  const value = (call.params as Readonly<Record<string, unknown>> | undefined)?.[field];
  if (typeof value === 'string') return value;
  throw invalidParams([{ pointer: `/${field}`, message: 'must be a string' }]);
}

import type { Prompts } from '../content/prompts/prompts.ts';
import { absent, unavailable } from '../platform/refusal.ts';
import type { View, Visibility } from '../visibility/visibility.ts';
import type { CallLog, FollowedCall } from './call-log.ts';
import type { Call, Reply } from './call.ts';
import { invalidParams } from './errors.ts';
import { checkPromptArguments } from './prompt-arguments.ts';

export interface ReadContentDependencies {
  visibility: Pick<Visibility, 'find' | 'decide'>;
  calls: CallLog;
  fillPrompt: Prompts['fill'];
}

/**
 * `prompts/get` and `resources/read`: what a caller cannot reach answers as what is not there. A
 * denial costs nothing; an admitted read counts in a window of its own and in no quota.
 */
export function createReadContent({ visibility, calls, fillPrompt }: ReadContentDependencies) {
  async function getPrompt(call: Call): Promise<Reply> {
    const name = textOf(call, 'name');
    const asked = calls.begin(call, 'content_read', name);
    try {
      const reply = await answerPrompt(call, asked, name);
      asked.end('ok');
      return reply;
    } catch (error) {
      asked.refuse(error);
      throw error;
    }
  }

  async function answerPrompt(call: Call, asked: FollowedCall, name: string): Promise<Reply> {
    const view = viewOf(call);
    const prompt = visibility.find(view, 'prompt', name);
    if (prompt === null) throw absent('no such prompt');
    asked.of(prompt);
    const decision = visibility.decide(view, prompt);
    if (decision.outcome === 'denied') {
      asked.deniedBy(decision.layer);
      throw absent(decision.reason);
    }
    const values = checkPromptArguments(prompt.arguments, call.params);
    await asked.admit();
    const messages = await fillPrompt(call.caller.account_id, prompt, values);
    if (messages === null) throw absent('deleted while it was read');
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
  }

  function readResource(call: Call): Reply {
    textOf(call, 'uri');
    throw absent('no such resource');
  }

  return { getPrompt, readResource };
}

function viewOf({ view }: Call): View {
  if (view === null) throw unavailable('what the caller reaches is not known');
  return view;
}

function textOf(call: Call, field: string): string {
  const value = (call.params as Readonly<Record<string, unknown>> | undefined)?.[field];
  if (typeof value === 'string') return value;
  throw invalidParams([{ pointer: `/${field}`, message: 'is a string' }]);
}

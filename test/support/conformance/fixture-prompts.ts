import type { Call, Reply } from '../../../src/mcp/protocol/call.ts';
import type { Method } from '../../../src/mcp/protocol/dispatch.ts';
import { image, textResource } from './content-tools.ts';
import { answersOf, elicitation, needs } from './input-required.ts';

const user = (content: string) => ({ role: 'user', content });
const required = (name: string, description: string) => ({ name, description, required: true });
const ELICITING_PROMPTS = 'test_input_required_result_prompt';

/** The suite's prompts, created as items of the tenant. */
export const fixturePrompts = [
  {
    name: 'test_simple_prompt',
    description: 'Has one sentence.',
    messages: [user('This is a simple prompt for testing.')],
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'Repeats its arguments.',
    arguments: [required('arg1', 'First test argument'), required('arg2', 'Second test argument')],
    messages: [user("Prompt with arguments: arg1='{{arg1}}', arg2='{{arg2}}'")],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Has an embedded resource.',
    arguments: [required('resourceUri', 'URI of the resource to embed')],
    messages: [user('{{resourceUri}}'), user('Please process the embedded resource above.')],
  },
  {
    name: 'test_prompt_with_image',
    description: 'Has an embedded image.',
    messages: [user('image'), user('Please analyze the image above.')],
  },
  {
    name: ELICITING_PROMPTS,
    description: 'Asks for a context first.',
    messages: [user('Continue with the information given.')],
  },
];

/** The prompt that is created and deleted for the suite. */
export const changingPrompt = {
  name: 'test_changing_prompt',
  description: 'Is created and deleted.',
  messages: [user('Here I am.')],
};

/** Content that replaces the first message: the product's prompts are text only. */
const richContents: Readonly<Record<string, (text: string) => object>> = {
  test_prompt_with_embedded_resource: (uri) =>
    textResource(uri, 'text/plain', 'Embedded resource content for testing.'),
  test_prompt_with_image: () => image,
};

interface Messages {
  messages: { role: string; content: { text: string } }[];
}

/** Wraps `prompts/get`: a prompt is authorized, admitted and filled in as usual, then enriched. */
export const enrichPrompts =
  (getPrompt: Method): Method =>
  async (call): Promise<Reply> => {
    const reply = await getPrompt(call);
    if (!('result' in reply)) return reply;
    const { name } = call.params as { name: string };
    if (asksForContext(call, name))
      return { result: needs({ user_context: elicitation('Which context?', 'context') }) };
    const enrich = richContents[name];
    const { messages, ...rest } = reply.result as Messages;
    const [first, ...others] = messages;
    if (enrich === undefined || first === undefined) return reply;
    const rich = { ...first, content: enrich(first.content.text) };
    return { result: { ...rest, messages: [rich, ...others] } };
  };

const asksForContext = (call: Call, name: string) =>
  name === ELICITING_PROMPTS && call.era === '2026' && Object.keys(answersOf(call)).length === 0;

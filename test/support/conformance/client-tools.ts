import type { Call } from '../../../src/mcp/protocol/call.ts';
import { ProtocolFailure } from '../../../src/mcp/protocol/errors.ts';
import { fixtureTool, pause, text } from './fixture-tool.ts';

const MISSING_CLIENT_CAPABILITY = -32021;
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

type Fields = Readonly<Record<string, unknown>>;

const metaOf = (call: Call): Fields =>
  ((call.params as Fields)['_meta'] as Fields | undefined) ?? {};

async function report(call: Call): Promise<void> {
  const { progressToken } = metaOf(call);
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      call.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    await pause(50);
  }
}

/** Sends log messages; in 2026 only if the request sets a level, in 2025 always. */
async function logSteps(call: Call): Promise<void> {
  const isEnabled = call.era === '2025' || LOG_LEVEL in metaOf(call);
  for (const step of ['execution started', 'processing data', 'execution completed']) {
    if (isEnabled)
      call.notify({
        method: 'notifications/message',
        params: { level: 'info', logger: 'fixture', data: `Tool ${step}` },
      });
    await pause(50);
  }
}

async function elicit(call: Call, message: string, requestedSchema: object) {
  if (call.request === undefined || !('elicitation' in call.client.capabilities))
    throw missingCapability('elicitation');
  const { action, content } = (await call.request({
    method: 'elicitation/create',
    params: { message, requestedSchema },
  })) as { action: string; content?: unknown };
  return { action, content: JSON.stringify(content ?? {}) };
}

const missingCapability = (capability: string) =>
  new ProtocolFailure({
    code: MISSING_CLIENT_CAPABILITY,
    message: `The client did not declare ${capability}`,
    data: { requiredCapabilities: { [capability]: {} } },
  });

const stringField = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

const completedText = ({ action, content }: { action: string; content: string }) =>
  text(`Elicitation completed: action=${action}, content=${content}`);

const withTitles = (values: readonly (readonly [value: string, title: string])[]) =>
  values.map(([value, title]) => ({ const: value, title }));
const options = ['option1', 'option2', 'option3'];
const choices = withTitles([
  ['value1', 'First Option'],
  ['value2', 'Second Option'],
  ['value3', 'Third Option'],
]);

/** Tools that notify the client or send it requests while they run. */
export const clientTools = [
  fixtureTool('test_tool_with_progress', {
    description: 'Reports its progress.',
    async answer(_input, call) {
      await report(call);
      return text('Progress was reported.');
    },
  }),
  fixtureTool('test_tool_with_logging', {
    description: 'Logs what it does.',
    async answer(_input, call) {
      await logSteps(call);
      return text('Tool with logging executed successfully');
    },
  }),
  fixtureTool('test_logging_tool', {
    description: 'Logs if the request sets a level.',
    async answer(_input, call) {
      await logSteps(call);
      return text('Logged.');
    },
  }),
  fixtureTool('test_sampling', {
    description: 'Asks the client for a completion.',
    input_schema: stringField('prompt'),
    async answer({ prompt }, call) {
      if (call.request === undefined || !('sampling' in call.client.capabilities))
        throw missingCapability('sampling');
      const answer = (await call.request({
        method: 'sampling/createMessage',
        params: {
          messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
          maxTokens: 100,
        },
      })) as { content: { text?: string } };
      return text(`LLM response: ${answer.content.text ?? ''}`);
    },
  }),
  fixtureTool('test_elicitation', {
    description: 'Asks the user.',
    input_schema: stringField('message'),
    async answer({ message }, call) {
      const { action, content } = await elicit(call, String(message), {
        type: 'object',
        properties: {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        },
        required: ['username', 'email'],
      });
      return text(`User response: action=${action}, content=${content}`);
    },
  }),
  fixtureTool('test_elicitation_sep1034_defaults', {
    description: 'Asks the user, with a default for each type of value.',
    answer: async (_input, call) =>
      completedText(
        await elicit(call, 'Please review the defaults', {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
          required: [],
        }),
      ),
  }),
  fixtureTool('test_elicitation_sep1330_enums', {
    description: 'Asks the user, with every kind of choice.',
    answer: async (_input, call) =>
      completedText(
        await elicit(call, 'Please choose', {
          type: 'object',
          properties: {
            untitledSingle: { type: 'string', enum: options },
            titledSingle: { type: 'string', oneOf: choices },
            legacyEnum: {
              type: 'string',
              enum: ['opt1', 'opt2', 'opt3'],
              enumNames: ['Option One', 'Option Two', 'Option Three'],
            },
            untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
            titledMulti: { type: 'array', items: { anyOf: choices } },
          },
          required: [],
        }),
      ),
  }),
  fixtureTool('test_missing_capability', {
    description: 'Requires a client that supports sampling.',
    answer(_input, call) {
      if (!('sampling' in call.client.capabilities)) throw missingCapability('sampling');
      return text('The client supports sampling.');
    },
  }),
  fixtureTool('test_streaming_elicitation', {
    description: 'Reports progress, then asks for more input.',
    async answer(_input, call) {
      await report(call);
      return {
        resultType: 'input_required',
        inputRequests: {
          answer: {
            method: 'elicitation/create',
            params: { message: 'Go on?', requestedSchema: stringField('answer') },
          },
        },
      };
    },
  }),
];

import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Call } from '../../../src/mcp/protocol/call.ts';
import { badParams } from '../../../src/mcp/protocol/errors.ts';
import { fixtureTool, text } from './fixture-tool.ts';
import { answersOf, contentOf, elicitation, needs, roots, sampling } from './input-required.ts';

interface State {
  credential: string;
  tool: string;
  round: number;
}

/** Shared by both instances, so that each can verify state that the other has sealed. */
const codec = createRequestStateCodec<State>({ key: 'fixture state of input required '.repeat(2) });

const seal = (call: Call, tool: string, round: number) =>
  codec.mint({ credential: call.caller.credential.id, tool, round });

/**
 * Returns the round of a call, or 0 without state. Throws if the state belongs to another caller or
 * tool.
 */
async function roundOf(call: Call, tool: string): Promise<number> {
  const { requestState } = call.params as { requestState?: string };
  if (requestState === undefined) return 0;
  const state = await codec.verify(requestState, {} as ServerContext).catch(() => null);
  if (state?.credential !== call.caller.credential.id || state.tool !== tool)
    throw badParams('invalid_params', 'requestState is not valid');
  return state.round;
}

const PREFIX = 'test_input_required_result_';

/** Tools of 2026-07-28 that respond with requests for the input they still need. */
export const inputTools = [
  fixtureTool(`${PREFIX}elicitation`, {
    description: 'Asks for a name.',
    answer(_input, call) {
      const name = contentOf(answersOf(call)['user_name'], 'name');
      if (typeof name === 'string') return text(`Hello, ${name}!`);
      return needs({ user_name: elicitation('What is your name?', 'name') });
    },
  }),
  fixtureTool(`${PREFIX}sampling`, {
    description: 'Asks for a completion.',
    answer(_input, call) {
      const { content } = (answersOf(call)['capital_question'] ?? {}) as {
        content?: { text?: string };
      };
      if (content?.text !== undefined) return text(content.text);
      return needs({ capital_question: sampling('What is the capital of France?', 100) });
    },
  }),
  fixtureTool(`${PREFIX}list_roots`, {
    description: 'Asks for roots.',
    answer(_input, call) {
      const found = answersOf(call)['client_roots']?.['roots'];
      if (Array.isArray(found)) return text(`Roots: ${JSON.stringify(found)}`);
      return needs({ client_roots: roots });
    },
  }),
  fixtureTool(`${PREFIX}request_state`, {
    description: 'Asks for a confirmation and stores that it asked.',
    async answer(_input, call) {
      const name = `${PREFIX}request_state`;
      const round = await roundOf(call, name);
      if (round === 1 && answersOf(call)['confirm'] !== undefined) return text('state-ok');
      const confirm = elicitation('Please confirm', 'ok', 'boolean');
      return needs({ confirm }, await seal(call, name, 1));
    },
  }),
  fixtureTool(`${PREFIX}tampered_state`, {
    description: 'Refuses a state that it did not sign.',
    async answer(_input, call) {
      const name = `${PREFIX}tampered_state`;
      const round = await roundOf(call, name);
      if (round === 1) return text('state-ok');
      const confirm = elicitation('Please confirm', 'ok', 'boolean');
      return needs({ confirm }, await seal(call, name, 1));
    },
  }),
  fixtureTool(`${PREFIX}multiple_inputs`, {
    description: 'Asks for three things at once.',
    async answer(_input, call) {
      const name = `${PREFIX}multiple_inputs`;
      const round = await roundOf(call, name);
      const answers = answersOf(call);
      if (round === 1 && ['user_name', 'greeting', 'client_roots'].every((key) => key in answers))
        return text(`Hello, ${String(contentOf(answers['user_name'], 'name'))}!`);
      const requests = {
        user_name: elicitation('What is your name?', 'name'),
        greeting: sampling('Generate a greeting', 50),
        client_roots: roots,
      };
      return needs(requests, await seal(call, name, 1));
    },
  }),
  fixtureTool(`${PREFIX}multi_round`, {
    description: 'Asks twice, one after the other.',
    async answer(_input, call) {
      const name = `${PREFIX}multi_round`;
      const round = await roundOf(call, name);
      const answers = answersOf(call);
      if (round === 2 && answers['step2'] !== undefined) return text('Both steps are done.');
      if (round >= 1 && (round === 2 || answers['step1'] !== undefined)) {
        const step2 = elicitation('Step 2: What is your favorite color?', 'color');
        return needs({ step2 }, await seal(call, name, 2));
      }
      const step1 = elicitation('Step 1: What is your name?', 'name');
      return needs({ step1 }, await seal(call, name, 1));
    },
  }),
  fixtureTool(`${PREFIX}capabilities`, {
    description: 'Asks only for what the client declared.',
    answer(_input, call) {
      const { capabilities } = call.client;
      if (Object.keys(answersOf(call)).length > 0) return text('Thank you.');
      return needs({
        ...('elicitation' in capabilities ? { name: elicitation('Your name?', 'name') } : {}),
        ...('sampling' in capabilities ? { greeting: sampling('Generate a greeting', 50) } : {}),
        ...('roots' in capabilities ? { client_roots: roots } : {}),
      });
    },
  }),
];

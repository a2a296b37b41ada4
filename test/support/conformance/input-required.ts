import type { Call } from '../../../src/mcp/protocol/call.ts';

interface Answers {
  [key: string]: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the client's input responses; empty in the first request. */
export const answersOf = (call: Call): Answers => {
  const { inputResponses } = call.params as { inputResponses?: unknown };
  return typeof inputResponses === 'object' && inputResponses !== null
    ? (inputResponses as Answers)
    : {};
};

export const contentOf = (answer: Answers[string], field: string): unknown =>
  (answer?.['content'] as Readonly<Record<string, unknown>> | undefined)?.[field];

/** Returns the `input_required` result of 2026-07-28 with the requests that are still open. */
export const needs = (inputRequests: object, requestState?: string) => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});

export const elicitation = (message: string, field: string, type = 'string') => ({
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
  },
});

export const sampling = (prompt: string, maxTokens: number) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});

export const roots = { method: 'roots/list', params: {} };

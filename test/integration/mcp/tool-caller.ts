import type { Author } from '../content/author.ts';
import type { eras } from './both-eras.ts';
import type { AnswerBody } from './key-holder.ts';

interface ToolResult {
  id: string;
  version: number;
  description: string | null;
  data: { id: string; version?: number }[];
  [field: string]: unknown;
}

/** Creates an agent that calls tools; `run` returns the structured result or the error's code. */
export const createToolCaller = async (
  author: Author,
  secret: string,
  era: (typeof eras)[number][1],
  headers: Record<string, string> = {},
) => {
  const ask = await era(author.endpoint, secret, headers);
  const call = async (name: string, input: object = {}) => {
    const { text } = await ask('tools/call', { name, arguments: input });
    return JSON.parse(text) as AnswerBody;
  };
  return {
    call,
    async run(name: string, input: object = {}) {
      const { result, error } = await call(name, input);
      if (error !== undefined) return error.code as unknown as ToolResult;
      const { structuredContent: structured } = result;
      return (structured.error?.code ?? structured) as ToolResult;
    },
    async listed() {
      const { text } = await ask('tools/list');
      return (JSON.parse(text) as AnswerBody).result.tools.map(({ name }) => name);
    },
  };
};

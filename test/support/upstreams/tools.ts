import { z } from 'zod';

/** Context of one call on the server of either SDK. */
export interface CallContext {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Sends progress if the client requested it. */
  progress(progress: number): Promise<void>;
  /** Sends the client a request; rejects if the client does not support it. */
  ask(): Promise<unknown>;
}

interface Result {
  [member: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface OfferedTool {
  title: string;
  description: string;
  inputSchema: z.ZodObject;
  run(input: Record<string, unknown>, context: CallContext): Promise<Result>;
}

const text = (value: string) => ({ type: 'text' as const, text: value });

/** Returns the tools that both upstreams offer; a test may change one and announce the change. */
export const offeredTools = (): Record<string, OfferedTool> => ({
  echo: {
    title: 'Echo',
    description: 'Repeats its argument.',
    inputSchema: z.object({ text: z.string() }),
    run: async ({ text: value }) => ({
      content: [text(String(value))],
      structuredContent: { said: value },
    }),
  },
  fails: {
    title: 'Fails',
    description: 'Returns a tool error.',
    inputSchema: z.object({}),
    run: async () => ({ content: [text('no luck')], isError: true }),
  },
  counts: {
    title: 'Counts',
    description: 'Reports its progress.',
    inputSchema: z.object({}),
    async run(_input, { progress }) {
      for (const step of [1, 2, 3]) await progress(step);
      return { content: [text('counted')] };
    },
  },
  whoami: {
    title: 'Request headers',
    description: 'Returns the request headers.',
    inputSchema: z.object({}),
    run: async (_input, { headers }) => ({ content: [text(JSON.stringify(headers))] }),
  },
  asks: {
    title: 'Asks',
    description: 'Asks the user a question.',
    inputSchema: z.object({}),
    async run(_input, { ask }) {
      const answer = await ask().then(
        () => 'answered',
        () => 'refused',
      );
      return { content: [text(answer)] };
    },
  },
  large: {
    title: 'Large',
    description: 'More than a megabyte.',
    inputSchema: z.object({}),
    run: async () => ({ content: [text('x'.repeat(1_100_000))] }),
  },
  waits: {
    title: 'Waits',
    description: 'Never answers.',
    inputSchema: z.object({}),
    run: () => new Promise(() => {}),
  },
});

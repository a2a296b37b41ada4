import { z } from 'zod';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { Computers } from './computers.ts';
import type { Turn } from '../platform/concurrency/places.ts';
import { ToolFailure } from './tool-failure.ts';

/** A whole result of a call, which another server gave: it passes on as it is. */
export class GivenResult {
  readonly result: { content: readonly object[]; isError?: true };
  constructor(result: GivenResult['result']) {
    this.result = result;
  }
}

export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** What a running tool may use: of the caller its arguments and whose turn a computation takes. */
export interface ToolContext extends Turn {
  now(): Date;
  /** There when the client asked to be told. */
  onProgress?: ((progress: Progress) => void) | undefined;
  outbound: Outbound;
  computers: Computers;
}

/** What a tool needs of its caller beside Tools, selection and policy. */
export interface ToolRequirement {
  /** It reads what this capability opens. */
  capability?: 'agents';
  /** It writes: a relation of the caller's seat, as OpenFGA knows it. */
  permission?: string;
}

export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

interface ToolExample {
  title: string;
  arguments: Record<string, unknown>;
  /** Left out where the answer is random. */
  result?: unknown;
  /** The code of the failure this example shows. */
  error?: string;
}

export type JsonSchema = Record<string, unknown>;

interface ToolFacts<Input extends z.ZodType, Output extends z.ZodType> {
  /** Never changes: selections and policies hold it. */
  id: string;
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  timeout_ms: number;
  deprecated?: boolean;
  examples: ToolExample[];
}

type Definition<Input extends z.ZodType, Output extends z.ZodType> = ToolFacts<Input, Output> &
  (
    | {
        /** For work that is quick whatever the arguments. */
        run(
          input: z.output<Input>,
          context: ToolContext,
        ): z.input<Output> | Promise<z.input<Output>>;
      }
    | {
        /** For work that hostile arguments could make long: runs in a process that can be ended. */
        compute(input: z.output<Input>, now: Date): z.input<Output> | Promise<z.input<Output>>;
      }
  );

export interface BuiltInTool extends Omit<ToolFacts<z.ZodType, z.ZodType>, 'input' | 'output'> {
  input_schema: JsonSchema;
  output_schema: JsonSchema;
  requires?: ToolRequirement;
  /** What the schema cannot say of arguments; throws `malformed`, and gives what `run` takes. */
  parse?(input: unknown): Readonly<Record<string, unknown>>;
  /** Arguments that are kept nowhere. */
  secret_arguments?: readonly string[];
  /** Takes arguments that were found to match `input_schema`; throws `ToolFailure`. */
  run(input: unknown, context: ToolContext): Promise<unknown>;
  /** What such a process runs for this tool; null where `run` needs none. */
  compute: ((input: unknown, now: Date) => unknown) | null;
}

/** What a call needs of a tool, whoever made it. */
export type RunnableTool = Pick<BuiltInTool, 'timeout_ms' | 'run' | 'parse' | 'secret_arguments'>;

/** Annotations of a tool that reads nothing but its arguments. */
export const PURE: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Joins a tool's facts with the schemas derived from its zod shapes. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  definition: Definition<Input, Output>,
): BuiltInTool {
  const compute =
    'compute' in definition
      ? (input: unknown, now: Date) => definition.compute(input as z.output<Input>, now)
      : null;
  return {
    ...definition,
    input_schema: jsonSchema(definition.input, 'input'),
    output_schema: jsonSchema(definition.output, 'output'),
    compute,
    run: (input, context) =>
      'compute' in definition
        ? context.computers.compute({ tool: definition.name, input, now: context.now() }, context)
        : rescueBounds(() => definition.run(input as z.output<Input>, context)),
  };
}

const EXHAUSTED =
  /Invalid (?:string|array|typed array) length|Invalid count value|maximum size exceeded/;

/** A stack or a size that ran out is the arguments' doing; any other fault stays a defect. */
export async function rescueBounds<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (error.message.includes('call stack'))
      throw new ToolFailure('too_complex', 'The input is nested too deeply.');
    if (EXHAUSTED.test(error.message))
      throw new ToolFailure('too_complex', 'The result grows too large. Ask for less.');
    throw error;
  }
}

function jsonSchema(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { target: 'draft-2020-12', io });
  return schema;
}

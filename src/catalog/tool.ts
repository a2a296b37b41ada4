import { z } from 'zod';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { ComputationEntry, WorkerPool } from './worker-pool.ts';
import { ToolFailure } from './tool-failure.ts';

export type { WorkerPool } from './worker-pool.ts';

/** A complete result from another server, passed on unchanged. */
export class PassthroughResult {
  readonly result: { content: readonly object[]; isError?: true };
  constructor(result: PassthroughResult['result']) {
    this.result = result;
  }
}

export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** Context of a running tool. The only data of the caller is the `fairnessKey` for computations. */
export interface ToolContext extends ComputationEntry {
  /** The account of the person that the call acts for; null for a credential of an organization. */
  person: string | null;
  /**
   * Throws if the caller may no longer run the tool. Requests of `outbound` and computations of
   * `workers` call it; call it before any other effect that follows something that may wait.
   */
  requirePermitted(): Promise<void>;
  now(): Date;
  /** Set if the client requested progress notifications. */
  onProgress?: ((progress: Progress) => void) | undefined;
  outbound: Pick<Outbound, 'fetch'>;
  workers: WorkerPool;
}

/** Requirements on the caller, in addition to Tools, selection and policy. */
export interface ToolRequirement {
  /** Capability whose items the tool reads. */
  capability?: 'agents';
  /** Relation to the caller's context object that a tool that writes requires in OpenFGA. */
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
  /** Omitted if the result is random. */
  result?: unknown;
  /** Error code with which this example fails. */
  error?: string;
}

export type JsonSchema = Record<string, unknown>;

interface ToolMetadata<Input extends z.ZodType, Output extends z.ZodType> {
  /** Never changes, because selections and policies refer to it. */
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

type Definition<Input extends z.ZodType, Output extends z.ZodType> = ToolMetadata<Input, Output> &
  (
    | {
        /** For work that is fast for any arguments. */
        run(
          input: z.output<Input>,
          context: ToolContext,
        ): z.input<Output> | Promise<z.input<Output>>;
      }
    | {
        /** For work that malicious arguments could prolong; runs in a killable process. */
        compute(input: z.output<Input>, now: Date): z.input<Output> | Promise<z.input<Output>>;
      }
  );

export interface BuiltInTool extends Omit<ToolMetadata<z.ZodType, z.ZodType>, 'input' | 'output'> {
  input_schema: JsonSchema;
  output_schema: JsonSchema;
  requires?: ToolRequirement;
  /** Checks what the schema cannot express; returns the input of `run`, throws `malformed`. */
  parse?(input: unknown): Readonly<Record<string, unknown>>;
  /** Arguments that are never stored. */
  secret_arguments?: readonly string[];
  /** Runs with arguments that match `input_schema`; throws `ToolFailure`. */
  run(input: unknown, context: ToolContext): Promise<unknown>;
  /** The part of `run` that a worker process executes; null if there is none. */
  compute: ((input: unknown, now: Date) => unknown) | null;
}

/** The members of a tool that a call needs, whether it is built-in or custom. */
export type RunnableTool = Pick<BuiltInTool, 'timeout_ms' | 'run' | 'parse' | 'secret_arguments'>;

/** Annotations of a tool that only reads its arguments. */
export const PURE: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Builds a tool from its definition; derives the JSON schemas from the zod shapes. */
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
        ? context.workers.compute({ tool: definition.name, input, now: context.now() }, context)
        : catchOverflow(() => definition.run(input as z.output<Input>, context)),
  };
}

const SIZE_OVERFLOW =
  /Invalid (?:string|array|typed array) length|Invalid count value|maximum size exceeded/;

/** Turns a stack or size overflow, which the arguments caused, into `too_complex`. */
export async function catchOverflow<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (error.message.includes('call stack'))
      throw new ToolFailure('too_complex', 'The input is nested too deeply.');
    if (SIZE_OVERFLOW.test(error.message))
      throw new ToolFailure('too_complex', 'The result is too large. Request less.');
    throw error;
  }
}

function jsonSchema(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { target: 'draft-2020-12', io });
  return schema;
}

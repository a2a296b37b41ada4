import type { Call } from '../protocol/call.ts';

/** A tool every authenticated credential has; no capability, selection or policy governs it. */
export interface SystemTool {
  id: string;
  name: string;
  title: string;
  description: string;
  version: string;
  input_schema: Readonly<Record<string, unknown>>;
  output_schema: Readonly<Record<string, unknown>>;
  annotations: Readonly<Record<string, unknown>>;
  /**
   * Throws what is refused, which costs nothing; what it returns makes the structured result, once
   * the call is admitted.
   */
  answer(call: Call, input: Readonly<Record<string, unknown>>): () => object | Promise<object>;
}

export const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

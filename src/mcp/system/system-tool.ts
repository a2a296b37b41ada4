import type { Denial, ItemAction } from '../../decision-log/decision-log.ts';
import type { Call } from '../protocol/call.ts';

/** Notes what was decided on an item that a system tool uses. */
export type Decided = (action: ItemAction, denial: Denial | null) => void;

/**
 * A tool that every authenticated credential has; capabilities, selection and policies do not
 * apply.
 */
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
   * Throws refusals, which are not charged. Returns a function that creates the structured result;
   * it is run after the call is admitted.
   */
  prepare(
    call: Call,
    input: Readonly<Record<string, unknown>>,
    decided: Decided,
  ): Promise<() => object | Promise<object>>;
}

export const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

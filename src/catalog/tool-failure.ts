import type { ErrorCode } from '../platform/errors/error-codes.ts';

/**
 * An expected failure of a tool; becomes a tool error, with its message shown to the calling agent.
 */
export class ToolFailure extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details?: Record<string, unknown>) {
    super(message);
    this.name = 'ToolFailure';
    this.code = code;
    this.details = details;
  }
}

/** A tool that became absent after its call was admitted; reported like any absent tool. */
export class ToolDeleted extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ToolDeleted';
  }
}

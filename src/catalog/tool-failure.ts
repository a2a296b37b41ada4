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

/** Thrown if a tool was deleted after its call was admitted; reported like a missing tool. */
export class ToolDeleted extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ToolDeleted';
  }
}

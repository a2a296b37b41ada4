/** A tool's expected no: becomes a tool error whose message the calling agent reads. */
export class ToolFailure extends Error {
  readonly code: string;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: string, message: string, details?: Record<string, unknown>) {
    super(message);
    this.name = 'ToolFailure';
    this.code = code;
    this.details = details;
  }
}

/** It was there when the call was admitted, and is not any more: answered as any absent tool. */
export class ToolGone extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ToolGone';
  }
}

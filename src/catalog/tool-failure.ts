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

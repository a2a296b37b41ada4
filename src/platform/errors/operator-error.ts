/** An error that the operator can fix: its message is shown without a stack trace. */
export class OperatorError extends Error {}

/** Formats a fatal error: an `OperatorError` as its message, anything else with its stack trace. */
export function formatFatalError(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nCaused by: ${formatFatalError(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** What whoever runs the program can mend: its message is all they need, without a trace. */
export class OperatorError extends Error {}

/** What a program says before it ends: an expected no in words, a defect with its trace. */
export function lastWords(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nCaused by: ${lastWords(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

import { violatedConstraint } from './database.ts';

/** Awaits a statement; returns `fallback` if it violates one of these constraints. */
export async function withFallbackOnViolation<Result, Fallback>(
  statement: Promise<Result>,
  constraints: readonly string[],
  fallback: Fallback,
): Promise<Result | Fallback> {
  try {
    return await statement;
  } catch (error) {
    if (constraints.includes(violatedConstraint(error) ?? '')) return fallback;
    throw error;
  }
}
